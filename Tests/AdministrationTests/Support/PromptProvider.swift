import Dispatch
import Exchanges
import HTTPCore
import Locking

/// Answers requests to an origin as a closure says.
final class PromptProvider: ExchangeProvider {
    enum Reply: Sendable {
        case response(UInt16, [(String, String)], String)
        case failure(ExchangeFailure.Kind)
        /// There is none, ever.
        case silence
    }

    private final class Anywhere: DeliveryContext {
        var isCurrent: Bool { true }
        func submit(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private final class Started: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext = Anywhere()
    private let reply: @Sendable (OriginRequest) -> Reply
    private let queue = DispatchQueue(label: "origin")

    init(_ reply: @escaping @Sendable (OriginRequest) -> Reply) { self.reply = reply }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let reply = reply(request)
        queue.async {
            switch reply {
            case .silence: break
            case .failure(let kind): receiver.exchangeDidFail(ExchangeFailure(kind, "it did not work"))
            case .response(let status, let lines, let content):
                receiver.exchangeDidReceive(Self.head(status, lines, content.utf8.count))
                if !content.isEmpty { receiver.exchangeDidReceive(ByteChunk(content)) }
                receiver.exchangeDidEnd(trailers: nil)
            }
        }
        return Started()
    }

    private static func head(_ status: UInt16, _ lines: [(String, String)], _ count: Int) -> ResponseHead {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        var head = ResponseHead(status: status, fields: fields, framing: count == 0 ? .none : .length(Int64(count)))
        head.contentLength = count == 0 ? nil : Int64(count)
        return head
    }
}
