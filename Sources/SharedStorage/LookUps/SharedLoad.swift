import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import Stores

/// A load as the shared tier sees it: what may answer its request, and for how long its response is of use.
struct SharedLoad: Sendable {
    private let facts: LoadFacts
    /// The partitions whose responses it may get, the most private first.
    let partitions: [Partition]

    /// Nil if no response of the shared server may answer it.
    ///
    /// - Parameter sharesPrivate: whether all nodes name partitions of credentials alike.
    init?(_ facts: LoadFacts, sharesPrivate: Bool) {
        let request = facts.request
        guard request.question == nil, !request.directives.hasRange, !request.directives.noStore,
            facts.effective.values.mode.mayLoad
        else { return nil }
        let own = request.partitions
        var partitions: [Partition] = []
        for partition in [own.own, own.credential, own.common].compactMap({ $0 }) {
            guard partition == .shared || sharesPrivate, !partitions.contains(partition) else { continue }
            partitions.append(partition)
        }
        guard !partitions.isEmpty else { return nil }
        (self.facts, self.partitions) = (facts, partitions)
    }

    var uri: TargetURI { facts.request.uri }
    private var caching: CachingOptions { facts.effective.values.caching }

    /// Whether the response to another node's load may answer it.
    var mayWait: Bool {
        let directives = facts.request.directives
        return !directives.noCache && directives.maxAgeSeconds != 0
    }

    /// The key of the lease for what it loads.
    ///
    /// - Parameter names: those in Vary, as far as they are known.
    func lease(_ keys: ResourceKeys, _ names: [[UInt8]]) -> [UInt8] {
        keys.lease(partitions, selection(names), isAnonymous: facts.request.partitions.own == nil)
    }

    /// Whether a response with this head may be stored for other nodes, as far as the head shows.
    func mayShare(_ head: ResponseHead, at now: HTTPDate) -> Bool {
        let metadata = ResponseMetadata(
            status: head.status,
            fields: head.fields,
            requestTime: now,
            responseTime: now,
            options: caching
        )
        switch metadata.storability(for: facts.request.profile, options: caching).partition {
        case nil: return false
        case .shared?: return partitions.contains(.shared)
        case .credential?, .personal?: return partitions.contains { $0 != .shared }
        }
    }

    /// Whether this load may have brought the response.
    func isAnswered(by response: StoredRecord) -> Bool {
        partitions.contains(response.partition) && selection(vary(of: response)) == response.selection
    }

    /// The selection key of its request by these names in Vary.
    func selection(_ names: [[UInt8]]) -> [UInt8] {
        let hasher = facts.environment.hasher
        return VaryNames(Fields(), adding: names)
            .selectionKey(for: facts.request.fields, credentials: caching.credentials) { hasher.hash($0) }
    }

    private func metadata(of response: StoredRecord) -> ResponseMetadata {
        ResponseMetadata(
            status: response.status,
            fields: response.fields,
            requestTime: response.requestTime,
            responseTime: response.responseTime,
            options: caching
        )
    }

    /// Whether a response of this age may answer the request without the origin.
    func isAnswered(by response: StoredRecord, ageSeconds age: Int64) -> Bool {
        let metadata = metadata(of: response)
        guard !metadata.vary.isAny, !metadata.isNeverCached else { return false }
        if case .fresh = metadata.decision(for: facts.request.directives, ageSeconds: age) { return true }
        return false
    }

    /// The age of a response that this node received, and how long it is of use: while fresh, and in its stale windows.
    func times(of response: StoredRecord, at now: HTTPDate) -> SharedRecord.StoringTimes {
        let metadata = metadata(of: response)
        let applied = metadata.applied
        let windows = [
            applied?.staleWhileRevalidate?.seconds ?? metadata.control.staleWhileRevalidateSeconds ?? 0,
            applied?.staleIfError?.seconds ?? metadata.control.staleIfErrorSeconds ?? 0,
        ]
        let age = metadata.currentAgeSeconds(at: now)
        let left = metadata.lifetimeSeconds - age + (windows.max() ?? 0)
        return SharedRecord.StoringTimes(ageSeconds: age, lifetime: .seconds(min(max(0, left), 366 * 86_400)))
    }

    /// The names that select a response.
    func vary(of response: StoredRecord) -> [[UInt8]] { metadata(of: response).vary.names }
}
