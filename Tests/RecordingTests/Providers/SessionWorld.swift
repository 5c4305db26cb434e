import Cassettes
import Exchanges
import HTTPCore
import TestDoubles

@testable import Recording

/// A session over a scripted origin, and clients that ask through it.
final class SessionWorld {
    let context = ManualContext()
    let origin: ScriptedProvider
    let timekeeper = ManualTimekeeper()
    let session: CassetteSession
    let provider: any ExchangeProvider

    init(_ session: CassetteSession) {
        self.session = session
        origin = ScriptedProvider(context: context)
        provider = session.provider(over: origin, timekeeper)
    }

    /// A world that records.
    static func recording() throws -> SessionWorld {
        let rules = ScrubbingRules(fields: ["x-api-key"], parameters: ["api_key"])
        return SessionWorld(CassetteSession(recordingWith: try Scrubber(rules)))
    }

    /// A world that replays.
    static func replaying(
        _ cassette: Cassette,
        isStrict: Bool = false,
        onMiss policy: MissPolicy = .fail,
        speed: Double? = nil
    ) throws -> SessionWorld {
        SessionWorld(
            try CassetteSession(replaying: cassette, .standard, isStrict: isStrict, onMiss: policy, speed: speed)
        )
    }

    /// Begins a request, and sends its content as far as it is wanted.
    func ask(
        _ method: Method = .get,
        _ url: String = "http://api.example/a",
        _ fields: [(String, String)] = [],
        _ content: String = "",
        credit: Int = OriginRequest.defaultCredit,
        upgrade: String? = nil,
        acceptsWhole: Bool = false
    ) throws -> SessionClient {
        let uri = try TargetURI(parsing: url)
        var lines = Fields()
        for (name, value) in fields { lines.append(name: name, value: value) }
        let request = OriginRequest(
            method: method,
            uri: uri,
            fields: lines,
            framing: content.isEmpty ? .none : .length(Int64(content.utf8.count)),
            initialCredit: credit,
            upgrade: upgrade.map { Array($0.utf8) }
        )
        let client = SessionClient(acceptsWhole: acceptsWhole)
        let exchange = context.perform { provider.start(request, receiver: client) }
        client.exchange.change { $0 = exchange }
        context.run()
        if !content.isEmpty {
            exchange.send(ByteChunk(content))
            exchange.finish(trailers: nil)
        }
        context.run()
        return client
    }
}

/// Receives one response.
final class SessionClient: ExchangeReceiver {
    let exchange = LockedBox<(any Exchange)?>(nil)
    let head = LockedBox<ResponseHead?>(nil)
    let pieces = LockedBox<[String]>([])
    let wanted = LockedBox(0)
    /// The statuses of interim heads.
    let interims = LockedBox<[UInt16]>([])
    /// How many responses came in one piece.
    let wholes = LockedBox(0)
    /// The fields behind the content.
    let trailers = LockedBox<[CassetteField]>([])
    let acceptsWholeResponses: Bool
    /// `end`, or why there is none.
    let outcome = LockedBox<String?>(nil)

    init(acceptsWhole: Bool = false) { acceptsWholeResponses = acceptsWhole }

    var status: UInt16? { head.value?.status }
    var text: String { pieces.value.joined() }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { interims.change { $0.append(head.status) } }
    func exchangeDidReceive(_ head: ResponseHead) { self.head.change { $0 = head } }
    func exchangeDidReceive(_ chunk: ByteChunk) {
        pieces.change { $0.append(String(decoding: chunk.bytes, as: UTF8.self)) }
    }
    func exchangeDidReceive(_ whole: WholeResponse) {
        wholes.change { $0 += 1 }
        exchangeDidReceive(whole.head)
        exchangeDidReceive(whole.content)
        exchangeDidEnd(trailers: nil)
    }
    func exchangeDidEnd(trailers: Fields?) {
        self.trailers.change { $0 = trailers?.recorded ?? [] }
        outcome.change { $0 = "end" }
    }
    func exchangeDidFail(_ failure: ExchangeFailure) { outcome.change { $0 = failure.userMessage } }
    func exchangeWantsContent(_ bytes: Int) { wanted.change { $0 += bytes } }
}
