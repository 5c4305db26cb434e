import ResourceCore

/// A hook that is called with the result of a request (S-120).
enum RequestHook: Sendable {
    case completion(@Sendable (ResponseInfo) -> Void)
    /// For a resource that follows the request: called as a completion, but at once if no hook comes before it.
    ///
    /// Otherwise the resource learns at once only that the request has ended, and whether it was cancelled.
    case following(ended: @Sendable (Bool) -> Void, @Sendable (ResponseInfo) -> Void)
    case success(@Sendable (Entity<any Sendable>) -> Void)
    case newData(@Sendable (Entity<any Sendable>) -> Void)
    case notModified(@Sendable () -> Void)
    case failure(@Sendable (RequestError) -> Void)

    /// The call with `info`; nil if this hook is for other results.
    func call(for info: ResponseInfo) -> (@Sendable () -> Void)? {
        switch (self, info.response) {
        case (.completion(let hook), _), (.following(_, let hook), _): return { hook(info) }
        case (.success(let hook), .success(let entity)): return { hook(entity) }
        case (.newData(let hook), .success(let entity)) where info.isNew: return { hook(entity) }
        case (.notModified(let hook), .success) where !info.isNew: return hook
        case (.failure(let hook), .failure(let error)): return { hook(error) }
        case (.success, _), (.newData, _), (.notModified, _), (.failure, _): return nil
        }
    }
}
