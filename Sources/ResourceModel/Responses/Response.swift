import ResourceCore

/// The result of a request: content, or the reason why there is none.
public enum Response: Sendable {
    case success(Entity<any Sendable>)
    case failure(RequestError)

    /// Whether the request was cancelled (S-163).
    public var isCancellation: Bool {
        if case .failure(let error) = self { error.isCancellation } else { false }
    }

    /// The content, or that of the failed response, if there is any.
    public var entity: Entity<any Sendable>? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }

    /// Why it failed; nil if it did not.
    public var error: RequestError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Response: TypedContentAccessors {
    public var entityForTypedContentAccessors: Entity<any Sendable>? { entity }
}

extension Response: CustomStringConvertible {
    /// Type of the content, or the reason; never the content itself.
    public var description: String {
        switch self {
        case .success(let entity): "success: \(entity.contentType)"
        case .failure(let error): "failure: \(error)"
        }
    }
}
