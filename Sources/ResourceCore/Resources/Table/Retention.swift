import HTTPCore

/// Why the table keeps a resource in memory: how the resource's slot refers to it.
///
/// Only this type decides what the table does after a change of a resource.
enum Retention {
    /// The resource lives as long as other references exist.
    case unretained(WeakResource)
    /// Something needs it, or the table keeps what is unused, and its service is in use.
    case retained(Resource)
    /// Nothing is left of it. It leaves when the next resource of its shard is to leave.
    ///
    /// The caller that emptied it usually has the last other reference, and has released that by then. So the table
    /// need not find out by a weak reference, which costs memory.
    case leaving(Resource)

    /// What the table is to do.
    enum Decision {
        case retain
        case leave
        /// Other references to the resource keep what there is.
        case release
        /// It stays as it is, until a flush.
        case keep
    }

    /// - Parameters:
    ///   - isServiceInUse: whether a program or the daemon refers to the resource's service.
    ///   - keepsUnused: whether the table keeps what nothing needs until a flush (S-015).
    static func decision(for need: ResourceNeed, isServiceInUse: Bool, keepsUnused: Bool) -> Decision {
        if isServiceInUse {
            if isNeeded(need, keepsUnused: keepsUnused) { return .retain }
            if keepsUnused { return .keep }
        }
        return need == .nothing && !keepsUnused ? .leave : .release
    }

    /// Whether the table must meet the need; a resource reports when that changes.
    static func isNeeded(_ need: ResourceNeed, keepsUnused: Bool) -> Bool {
        switch need {
        case .nothing, .owner: false
        case .data: !keepsUnused
        case .use: true
        }
    }

    var id: UInt64 {
        switch self {
        case .retained(let resource), .leaving(let resource): resource.id
        case .unretained(let reference): reference.id
        }
    }

    /// The key by which the table finds it.
    var key: [UInt8] {
        switch self {
        case .retained(let resource), .leaving(let resource): resource.uri.bytes
        case .unretained(let reference): reference.uri.bytes
        }
    }

    /// The resource, if it has not ended.
    var resource: Resource? {
        switch self {
        case .retained(let resource), .leaving(let resource): resource
        case .unretained(let reference): reference.resource
        }
    }

    /// The resource, if the table keeps it alive.
    var kept: Resource? {
        switch self {
        case .retained(let resource), .leaving(let resource): resource
        case .unretained: nil
        }
    }
}

/// Why a resource needs the table.
enum ResourceNeed {
    /// Nothing is left of it.
    case nothing
    /// Only its owners need what is left, such as its latest error.
    case owner
    /// It has data, or remembers an outcome.
    case data
    /// It loads, is requested or observed.
    case use
}

/// A weak reference to a resource, with its number and URI.
final class WeakResource: Sendable {
    weak let resource: Resource?
    let id: UInt64
    let uri: TargetURI

    init(_ resource: Resource) {
        self.resource = resource
        id = resource.id
        uri = resource.uri
    }
}
