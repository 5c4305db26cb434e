import HTTPCore

extension NetworkingProvider {
    /// Starts a request whose content may be in files, whether this provider transfers files or not.
    func startTransfer(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        // The response to HEAD has no content.
        guard let path = request.destination, request.method != .head else {
            return startSending(request, completion: completion)
        }
        return DownloadTransfer.start(request, to: path, at: self, completion)
    }

    /// Starts a request; reads its file into memory first if this provider sends none.
    func startSending(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        transfersFiles
            ? startRequest(request, completion: completion) : startFromMemory(request, completion: completion)
    }

    /// Starts a request; reads its file, if it has one, into memory first.
    ///
    /// A file of more than 64 MiB fails with `RequestError.Cause.FileTransfer`.
    package func startFromMemory(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        guard let path = request.bodyFile else { return startRequest(request, completion: completion) }
        let operation = DeferredOperation()
        operation.submit {
            if operation.isCancelled { return completion(DeferredOperation.cancellation) }
            do {
                var request = request
                request.body = try OutgoingFile(path: path).readWhole()
                operation.follow(self.startRequest(request, completion: completion))
            } catch {
                completion(NetworkingResult(error: error))
            }
        }
        return operation
    }
}
