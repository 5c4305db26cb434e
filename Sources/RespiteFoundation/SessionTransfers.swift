import Foundation
import HTTPCore
import Locking
import ResourceCore
import ResourceModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the tasks of one session bring, until they have ended.
final class SessionTransfers: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        let completion: @Sendable (NetworkingResult) -> Void
        var content: [UInt8] = []
        var isTooLarge = false
    }

    private let follows: Bool
    private let contentLimit: Int
    private let transfers = Lock<[Int: Transfer]>([:])

    init(follows: Bool, contentLimit: Int) {
        self.follows = follows
        self.contentLimit = contentLimit
    }

    /// Before the task is resumed.
    func add(_ task: URLSessionTask, _ completion: @escaping @Sendable (NetworkingResult) -> Void) {
        transfers.withLock { $0[task.taskIdentifier] = Transfer(completion: completion) }
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
        let isTooLarge = transfers.withLock { transfers in
            guard var transfer = transfers.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            if data.count > contentLimit - transfer.content.count { transfer.isTooLarge = true }
            if transfer.isTooLarge { transfer.content = [] } else { transfer.content.append(contentsOf: data) }
            transfers[dataTask.taskIdentifier] = transfer
            return transfer.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let tooLarge = transfer.isTooLarge ? RequestError.Cause.ContentTooLarge(limit: contentLimit) : nil
        transfer.completion(
            NetworkingResult(
                head: (task.response as? HTTPURLResponse).flatMap { ResponseHead($0) },
                content: transfer.content.isEmpty ? nil : transfer.content,
                error: tooLarge ?? error
            )
        )
    }
}
