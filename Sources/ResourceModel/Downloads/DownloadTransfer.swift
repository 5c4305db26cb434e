import HTTPCore
import Locking
import Platform

/// One download: opens the part, and asks for what is missing; once more for everything if the server does not
/// continue.
final class DownloadTransfer: RequestNetworking {
    private let request: HTTPRequest
    private let path: String
    private let provider: any NetworkingProvider
    private let completion: @Sendable (NetworkingResult) -> Void
    private let operation = DeferredOperation()
    /// That of the current request.
    private let sink = Lock<DownloadSink?>(nil)

    private init(
        _ request: HTTPRequest,
        to path: String,
        at provider: any NetworkingProvider,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) {
        self.request = request
        self.path = path
        self.provider = provider
        self.completion = completion
    }

    static func start(
        _ request: HTTPRequest,
        to path: String,
        at provider: any NetworkingProvider,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking {
        let transfer = DownloadTransfer(request, to: path, at: provider, completion)
        DownloadLanes.shared.enter(path) {
            transfer.operation.submit { transfer.begin() }
        }
        return transfer
    }

    // MARK: RequestNetworking

    func cancel() { operation.cancel() }

    /// Of the whole file: what an earlier attempt brought counts as received.
    var transferMetrics: RequestTransferMetrics {
        var metrics = operation.transferMetrics
        let before = sink.withLock { $0 }?.resumedAt ?? 0
        metrics.responseBytesReceived += before
        metrics.responseBytesTotal = metrics.responseBytesTotal.map { $0 > 0 ? $0 + before : $0 }
        return metrics
    }

    // MARK: Requests

    private func begin() {
        if operation.isCancelled { return end(DeferredOperation.cancellation) }
        do throws(FileFault) {
            let file = try PartialFile(path: path)
            ask(file, continuing: noted(file))
        } catch {
            end(NetworkingResult(error: RequestError.Cause.FileTransfer(.receiving, path: path, error)))
        }
    }

    /// What is noted about the part, if the request can continue it.
    private func noted(_ file: PartialFile) -> DownloadNote? {
        guard request.method == .get, !request.fields.contains(.range), !request.fields.contains(.ifRange),
            let note = file.note.flatMap({ DownloadNote(parsing: $0) }), note.url == request.url.text,
            note.usable(of: file.size) > 0
        else { return nil }
        return note
    }

    private func ask(_ file: PartialFile, continuing note: DownloadNote?) {
        let sink = DownloadSink(file, path: path, for: request, continuing: note)
        self.sink.withLock { $0 = sink }
        let request = provider.startSending(sink.sunkRequest) { result in
            self.operation.submit { self.didReceive(result, file, sink) }
        }
        operation.follow(request)
    }

    private func didReceive(_ result: NetworkingResult, _ file: PartialFile, _ sink: DownloadSink) {
        var result = result
        if result.error == nil {
            do { result.file = try sink.complete(result) } catch { result.error = error }
        }
        if sink.mustRestart, !operation.isCancelled { return ask(file, continuing: nil) }
        if result.file == nil { sink.abandon() } else { result.content = nil }
        end(result)
    }

    /// Reports the result once the path is free.
    private func end(_ result: NetworkingResult) {
        DownloadLanes.shared.leave(path)
        completion(result)
    }
}
