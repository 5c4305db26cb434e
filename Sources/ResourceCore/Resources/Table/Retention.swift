import HTTPCore

/// Why the table keeps a resource in memory: how the resource's slot refers to it.
///
/// What the table does for a change of a resource is decided here and nowhere else.
enum Retention {
    /// The resource lives as long as somebody else refers to it.
    case unretained(WeakResource)
    /// Something needs it, or it was asked for in a table that keeps what is unused, and its service is in use.
    case retained(Resource)
    /// Nothing is left of it. It leaves when the next resource of its shard is to leave.
    ///
    /// Whoever emptied it still has it in hand, and most often is the last to have it. By then there is nobody, and no weak
    /// reference is needed to find that out, nor the memory that one takes.
    case leaving(Resource)

    /// What the table is to do.
    enum Decision {
        case retain
        case leave
        /// Whoever else refers to the resource keeps what there is.
        case release
        /// It stays as it is, until a flush.
        case keep
    }

    /// - Parameters:
    ///   - isServiceInUse: a program or the daemon holds the resource's service.
    ///   - keepsUnused: the table keeps what nothing needs until a flush (S-015).
    static func decision(for need: ResourceNeed, isServiceInUse: Bool, keepsUnused: Bool) -> Decision {
        if isServiceInUse {
            if isNeeded(need, keepsUnused: keepsUnused) { return .retain }
            if keepsUnused { return .keep }
        }
        return need == .nothing && !keepsUnused ? .leave : .release
    }

    /// Whether the need is the table's to meet; a resource tells when that changes.
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

    /// What the table finds it by.
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

    /// The resource, if it lives for this reason.
    var kept: Resource? {
        switch self {
        case .retained(let resource), .leaving(let resource): resource
        case .unretained: nil
        }
    }
}

/// What a resource needs the table for.
enum ResourceNeed {
    /// Nothing is left of it.
    case nothing
    /// What is left matters only to whoever refers to it, such as its latest error.
    case owner
    /// It has data, or remembers something.
    case data
    /// It loads, is asked for or is observed.
    case use
}

/// A resource that ends when nobody else refers to it.
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
