import ResourceCore

extension Request {
    /// Waits for the result of the request, and until earlier hooks and the resource's observers were notified.
    ///
    /// Starts nothing. Cancelling the waiting task does not cancel the request, for which others may wait; call
    /// `cancel()`. `Resource.loaded()` does so if nobody else waits.
    public var outcome: ResponseInfo {
        get async {
            // Also if the result is known: the resource may not have it yet.
            await withCheckedContinuation { continuation in
                onCompletion { continuation.resume(returning: $0) }
            }
        }
    }

    /// The content that the request brings; waits as `outcome` does, throws if there is none.
    public var entity: Entity<any Sendable> {
        get async throws(RequestError) {
            switch await outcome.response {
            case .success(let entity): return entity
            case .failure(let error): throw error
            }
        }
    }
}
