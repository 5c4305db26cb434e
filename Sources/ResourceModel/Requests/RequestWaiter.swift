import Locking
import ResourceCore

/// A task that waits for a request, and may give up.
final class RequestWaiter: Sendable {
    private enum State {
        case expected
        case suspended(CheckedContinuation<ResponseInfo, Never>)
        case ended(ResponseInfo)
    }

    private let state = Lock(State.expected)

    /// Ends the waiting with `info`; returns false if it has ended before.
    @discardableResult
    func end(_ info: ResponseInfo) -> Bool {
        let (continuation, isFirst) = state.withLock { state -> (CheckedContinuation<ResponseInfo, Never>?, Bool) in
            switch state {
            case .ended: return (nil, false)
            case .expected:
                state = .ended(info)
                return (nil, true)
            case .suspended(let continuation):
                state = .ended(info)
                return (continuation, true)
            }
        }
        continuation?.resume(returning: info)
        return isFirst
    }

    /// What the waiting ended with; to be read once.
    var info: ResponseInfo {
        get async {
            await withCheckedContinuation { continuation in
                let info = state.withLock { state -> ResponseInfo? in
                    if case .ended(let info) = state { return info }
                    state = .suspended(continuation)
                    return nil
                }
                if let info { continuation.resume(returning: info) }
            }
        }
    }
}
