import HTTPCaching
import HTTPCore
import ResourceCore
import TransportSecurity

/// Makes the keys of questions whose content has come with their head, without parsing a URI or matching a rule.
///
/// It remembers how the content of requests to the latest targets belongs to the key. Bound to its loop.
final class FastQuestions {
    /// What is known of requests with one method to one target.
    private struct Target {
        /// As requested.
        let key: [UInt8]
        let method: Method
        /// Of the table's configuration.
        let generation: UInt64
        /// The beginning of the question's URI, after query rules.
        let identity: [UInt8]
        /// Nil: no content belongs to the key, or the general path decides.
        let keying: ContentKeying?
    }

    /// So many targets are remembered; they are compared one by one.
    private static let mostTargets = 8

    private let service: Service
    private let limit: Int
    private var targets: [Target] = []
    /// Where the next target goes.
    private var next = 0
    private var hash = ContentHash()
    /// What is digested before the content; reused.
    private var preamble: [UInt8] = []

    /// - Parameter limit: the most bytes of content.
    init(_ service: Service, limit: Int) {
        self.service = service
        self.limit = min(limit, QuestionExchange.formedAtOnce)
    }

    /// Makes `key`, a canonical target URI, that of the question to it.
    ///
    /// Returns false, with `key` in any state, if the general path decides.
    func identify(_ key: inout [UInt8], _ head: RequestHead, _ content: Span<UInt8>) -> Bool {
        guard content.count <= limit, !namesFields(head) else { return false }
        let index = index(of: key, head.method)
        guard let keying = targets[index].keying else { return false }
        hash.restart()
        preamble.removeAll(keepingCapacity: true)
        keying.appendPreamble(head.fields, to: &preamble)
        hash.append(preamble[...])
        switch keying {
        case .off: return false
        case .bytes: hash.append(content)
        case .form(let form):
            guard case .success(let text) = form.text(of: [UInt8](copying: content)) else { return false }
            hash.append(text.span)
        }
        key.removeAll(keepingCapacity: true)
        key.append(contentsOf: targets[index].identity)
        return hash.finish(asDigitsIn: &key)
    }

    /// Whether Connection may name fields that do not reach the origin, and so do not count.
    private func namesFields(_ head: RequestHead) -> Bool {
        guard head.fields.contains(.connection) else { return false }
        if head.fields.count(of: .connection) > 1 { return true }
        let names = head.fields.withValue(of: .connection) { value in
            !Token.matches(value, "keep-alive") && !Token.matches(value, "close")
        }
        return names ?? false
    }

    private func index(of key: [UInt8], _ method: Method) -> Int {
        let generation = service.table.configurationGeneration
        for index in targets.indices
        where targets[index].generation == generation && targets[index].method == method && targets[index].key == key {
            return index
        }
        let target = target(key, method, generation)
        defer { next = (next + 1) % Self.mostTargets }
        if next < targets.count { targets[next] = target } else { targets.append(target) }
        return next
    }

    private func target(_ key: [UInt8], _ method: Method, _ generation: UInt64) -> Target {
        guard let uri = (try? TargetURI(parsing: key)).map({ service.identity(of: $0, for: method) }),
            case let configuration = service.configuration(for: uri, method: method), !configuration.isNeverCached,
            let keying = configuration.values.caching.contentKeying(for: method)
        else {
            return Target(key: key, method: method, generation: generation, identity: [], keying: nil)
        }
        let identity = uri.bytes + [0x23] + method.bytes + [0x3A]
        return Target(key: key, method: method, generation: generation, identity: identity, keying: keying)
    }
}
