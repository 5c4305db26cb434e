import ResourceCore

extension Request {
    /// How the request ends; waits for that, and until hooks attached before and the resource's observers were told.
    ///
    /// Starts nothing. Cancelling the waiting task does not cancel the request, which others may wait for; call `cancel()`.
    public var outcome: ResponseInfo {
        get async {
            // Also where the result is known already: the resource may be about to take it in.
            await withCheckedContinuation { continuation in
                onCompletion { continuation.resume(returning: $0) }
            }
        }
    }

    /// The content the request brings; waits as `outcome` does, throws if there is none.
    public var entity: Entity<any Sendable> {
        get async throws(RequestError) {
            switch await outcome.response {
            case .success(let entity): return entity
            case .failure(let error): throw error
            }
        }
    }
}
