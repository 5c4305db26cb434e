import HTTPCore
import ResourceCore

/// What a client asks of the cache itself, by methods that caches in front of origins are known to understand (H-141).
enum CacheCommand: Sendable {
    /// Drops what is held of the target, in memory and at rest (S-193).
    case purge
    /// Marks it: validated before the next use (S-201).
    case ban
    /// Loads it now (S-093).
    case refresh

    init?(_ method: Method) {
        guard case .other = method else { return nil }
        switch method.text {
        case "PURGE": self = .purge
        case "BAN": self = .ban
        case "REFRESH": self = .refresh
        default: return nil
        }
    }

    /// What came of a command: a line of JSON, or why it failed.
    enum Outcome: Sendable {
        case done(String)
        case failed(String)
    }

    /// Carries it out; `completion` once the store has committed the change, or the load has ended, inside the call or on
    /// any thread.
    func run(_ uri: TargetURI, of service: Service, _ completion: @escaping @Sendable (Outcome) -> Void) {
        switch self {
        case .purge:
            // What is on its way to the store is counted in memory.
            let held = service.table.find(service.identity(of: uri))?.snapshot.variants.count ?? 0
            service.table.purge(uri, of: service) { completion(.done(#"{"purged":\#(max($0, held))}"#)) }
        case .ban:
            service.resource(for: uri).invalidate { _ in completion(.done(#"{"invalidated":true}"#)) }
        case .refresh:
            service.resource(for: uri).refresh { outcome in
                switch outcome {
                case .newData(.some): completion(.done(#"{"loaded":"newData"}"#))
                case .newData(nil): completion(.failed("The content is too large"))
                case .notModified: completion(.done(#"{"loaded":"notModified"}"#))
                case .failure(let error): completion(.failed(error.userMessage))
                case .cancelled: completion(.failed("Request cancelled"))
                }
            }
        }
    }
}
