import Foundation
import HTTPCore
import Locking
import ResourceCore
import ResourceModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the tasks of one session bring, until they have ended.
///
/// The session calls it on its queue, one call at a time; sinks are called there, too.
final class SessionTransfers: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        let completion: @Sendable (NetworkingResult) -> Void
        /// Receives the content in place of memory.
        var sink: (any ContentSink)?
        /// Whether the sink accepts the content of this response; nil: it has not been asked.
        var usesSink: Bool?
        var content: [UInt8] = []
        var isTooLarge = false
        /// Why the task was cancelled.
        var failure: (any Error)?
    }

    private let follows: Bool
    private let contentLimit: Int
    private let transfers = Lock<[Int: Transfer]>([:])

    init(follows: Bool, contentLimit: Int) {
        self.follows = follows
        self.contentLimit = contentLimit
    }

    /// Before the task is resumed.
    func add(
        _ task: URLSessionTask,
        sink: (any ContentSink)? = nil,
        _ completion: @escaping @Sendable (NetworkingResult) -> Void
    ) {
        transfers.withLock {
            $0[task.taskIdentifier] = Transfer(completion: completion, sink: sink)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(follows ? request : nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfers.withLock({ $0[dataTask.taskIdentifier] }), transfer.failure == nil else {
            return
        }
        do {
            if let sink = transfer.sink, try transfer.usesSink ?? begin(sink, dataTask) {
                return try sink.receive(ByteChunk([UInt8](data)))
            }
        } catch {
            return fail(dataTask, error)
        }
        collect(data, of: dataTask)
    }

    /// Asks the sink whether it accepts the content.
    private func begin(_ sink: any ContentSink, _ task: URLSessionTask) throws -> Bool {
        guard let response = task.response as? HTTPURLResponse,
            let head = ResponseHead(response, keepsCoding: true)
        else { return false }
        // Ranges and validators are about bytes that the session does not show.
        if let coding = head.fields.text(of: .contentEncoding), coding.lowercased() != "identity", head.status < 300 {
            let message = "the session takes it off; a download needs the file's own bytes"
            throw RequestError.Cause.UndecodableContent(coding: coding, message: message)
        }
        let usesSink = try sink.begin(head)
        transfers.withLock { $0[task.taskIdentifier]?.usesSink = usesSink }
        return usesSink
    }

    private func collect(_ data: Data, of task: URLSessionTask) {
        let isTooLarge = transfers.withLock { transfers in
            guard var transfer = transfers.removeValue(forKey: task.taskIdentifier) else { return false }
            if data.count > contentLimit - transfer.content.count { transfer.isTooLarge = true }
            if transfer.isTooLarge { transfer.content = [] } else { transfer.content.append(contentsOf: data) }
            transfers[task.taskIdentifier] = transfer
            return transfer.isTooLarge
        }
        if isTooLarge { task.cancel() }
    }

    private func fail(_ task: URLSessionTask, _ error: any Error) {
        transfers.withLock { transfers in
            if transfers[task.taskIdentifier]?.failure == nil { transfers[task.taskIdentifier]?.failure = error }
        }
        task.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let tooLarge = transfer.isTooLarge ? RequestError.Cause.ContentTooLarge(limit: contentLimit) : nil
        transfer.completion(
            NetworkingResult(
                head: (task.response as? HTTPURLResponse).flatMap { ResponseHead($0) },
                content: transfer.content.isEmpty ? nil : transfer.content,
                error: transfer.failure ?? tooLarge ?? error
            )
        )
    }
}
