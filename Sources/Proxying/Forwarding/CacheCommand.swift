import HTTPCore
import ResourceCore

/// A client's command to the cache itself, by a method that many reverse proxies understand (H-141).
enum CacheCommand: Sendable {
    /// Removes the target's stored responses, from memory and store (S-193).
    case purge
    /// Marks them so that each is validated before its next use (S-201).
    case ban
    /// Loads the target now (S-093).
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

    /// The result of a command: a line of JSON, or why it failed.
    enum Outcome: Sendable {
        case done(String)
        case failed(String)
    }

    /// Executes the command.
    ///
    /// Calls `completion` once the store has committed the change, or the load has ended: within this call, or later on
    /// any thread.
    func run(_ uri: TargetURI, of service: Service, _ completion: @escaping @Sendable (Outcome) -> Void) {
        switch self {
        case .purge:
            // The store does not count responses that still wait to be written: count those in memory.
            let inMemory = service.table.find(service.identity(of: uri))?.snapshot.variants.count ?? 0
            service.announce(.purge(uri))
            service.table.purge(uri, of: service) { completion(.done(#"{"purged":\#(max($0, inMemory))}"#)) }
        case .ban:
            service.announce(.invalidate(uri))
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
