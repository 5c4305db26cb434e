import Dispatch
import Locking

/// Hands values from one thread to another that waits for them, a minute at most.
final class WaitQueue<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])
    private let count = DispatchSemaphore(value: 0)

    func push(_ element: Element) {
        elements.withLock { $0.append(element) }
        count.signal()
    }

    /// The next value; nil if none comes.
    func pop() -> Element? {
        guard count.wait(timeout: .now() + 60) == .success else { return nil }
        return elements.withLock { $0.removeFirst() }
    }
}
