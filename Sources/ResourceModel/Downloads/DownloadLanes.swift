import Locking

/// Has the downloads of this process to one path come one after another.
///
/// A download that was cancelled still holds its part for a moment; the next one waits for that.
final class DownloadLanes: Sendable {
    static let shared = DownloadLanes()

    /// The waiting downloads, by path; a path is present while a download has its lane.
    private let waiting = Lock<[String: [@Sendable () -> Void]]>([:])

    /// Runs `work` once the lane of `path` is free; the work must lead to one call of `leave`.
    func enter(_ path: String, _ work: @escaping @Sendable () -> Void) {
        let isFree = waiting.withLock { waiting in
            guard waiting[path] == nil else {
                waiting[path]?.append(work)
                return false
            }
            waiting[path] = []
            return true
        }
        if isFree { work() }
    }

    /// Leaves the lane to the next one.
    func leave(_ path: String) {
        let next = waiting.withLock { waiting -> (@Sendable () -> Void)? in
            guard waiting[path]?.isEmpty == false else {
                waiting[path] = nil
                return nil
            }
            return waiting[path]?.removeFirst()
        }
        next?()
    }
}
