public import Cassettes
import Locking

/// One recording or replay, which the loops of a daemon share.
///
/// It replaces the secrets of requests and responses as these come in.
public final class CassetteSession: Sendable {
    private struct State {
        var scrubber: Scrubber
        var player: CassettePlayer?
        /// What was recorded, by the numbers of the requests.
        var entries: [Int: CassetteEntry] = [:]
        var nextNumber = 0
        /// Bytes of content that are recorded, or about to be.
        var size = 0
        var report = SessionReport()
    }

    public let role: SessionRole
    /// How many times faster than recorded a replay delivers the pieces of a stream; nil: at once.
    let speed: Double?
    private let replayed: Cassette
    private let state: Lock<State>

    /// The most bytes of content of one message; an exchange with more is not recorded.
    static let contentLimit = 64 << 20
    /// The most bytes of content that a session records.
    static let sizeLimit = 512 << 20

    /// A session that records.
    public init(recordingWith scrubber: Scrubber) {
        role = .recording
        speed = nil
        replayed = Cassette()
        state = Lock(State(scrubber: scrubber))
    }

    /// A session that replays.
    ///
    /// It first replaces the secrets in recorded requests, which another tool may have left there. Incoming requests
    /// are scrubbed, too, so they match.
    ///
    /// - Parameters:
    ///   - isStrict: whether requests must come in the order of the recording.
    ///   - speed: how many times faster than recorded the pieces of streams come; nil: at once.
    /// - Throws: if one of the cassette's paths is wrong.
    public init(
        replaying cassette: Cassette,
        _ rules: MatchRules,
        isStrict: Bool,
        onMiss policy: MissPolicy,
        speed: Double? = nil
    ) throws(CassetteError) {
        role = .replaying(policy)
        self.speed = speed
        var scrubber = try Scrubber(cassette.scrubbing.union(.standard))
        replayed = scrubber.scrubbed(cassette)
        state = Lock(State(scrubber: scrubber, player: CassettePlayer(replayed, rules, isStrict: isStrict)))
    }

    // MARK: Recording

    /// The number of a request that begins; it orders the recorded exchanges.
    func begin() -> Int {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }

    /// Reserves bytes of content; returns false beyond `sizeLimit`.
    func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.size + count <= Self.sizeLimit else { return false }
            state.size += count
            return true
        }
    }

    /// Releases reserved bytes.
    func release(_ count: Int) { state.withLock { $0.size -= count } }

    func add(_ entry: CassetteEntry, number: Int) {
        state.withLock { state in
            var scrubbed = entry
            state.scrubber.scrub(&scrubbed.request)
            state.scrubber.scrub(&scrubbed.response)
            state.entries[number] = scrubbed
            state.report.recorded += 1
        }
    }

    /// A URL without secrets, for people.
    func redacted(_ url: String) -> String {
        var request = CassetteRequest(method: "GET", url: url)
        return state.withLock { state in
            state.scrubber.scrub(&request)
            state.scrubber.removeSecrets(from: &request)
            return request.url
        }
    }

    /// Notes the credentials of a message's fields.
    func note(_ fields: [CassetteField]) { state.withLock { $0.scrubber.note(fields) } }

    func note(unrecorded text: String) { state.withLock { $0.report.note(unrecorded: text) } }

    // MARK: Replaying

    /// The response to a request.
    func answer(_ request: CassetteRequest) -> CassettePlayer.Outcome {
        state.withLock { state in
            var asked = request
            state.scrubber.scrub(&asked)
            state.scrubber.removeSecrets(from: &asked)
            let answer =
                state.player?.answer(asked) ?? .miss(CassetteMiss(request: asked.title, reason: .empty))
            switch answer {
            case .response: state.report.replayed += 1
            case .miss(let miss): state.report.note(miss)
            }
            return answer
        }
    }

    /// Notes a request of a kind that is never recorded.
    func miss(_ miss: CassetteMiss) { state.withLock { $0.report.note(miss) } }

    // MARK: The result

    public var report: SessionReport {
        state.withLock { state in
            var report = state.report
            report.unused = state.player?.unused.map(\.request.title) ?? []
            return report
        }
    }

    /// The secrets that were seen.
    public var secrets: SecretIndex { state.withLock { $0.scrubber.secrets } }

    /// The cassette after the session: the replayed entries, then the recorded ones without any secret that was seen.
    public var cassette: Cassette {
        let (scrubber, entries) = state.withLock { ($0.scrubber, $0.entries) }
        let added = entries.sorted { $0.key < $1.key }.map { _, entry in
            var clean = entry
            scrubber.removeSecrets(from: &clean.request)
            scrubber.removeSecrets(from: &clean.response)
            return clean
        }
        return Cassette(entries: replayed.entries + added, scrubbing: scrubber.rules)
    }
}
