import Platform

/// Passes values from one thread to another, which waits for each at most a minute.
public final class WaitQueue<Element: Sendable>: Sendable {
    private let elements = Monitor<[Element]>([])

    public init() {}

    public func push(_ element: Element) {
        elements.withLock { $0.append(element) }
        elements.wakeOne()
    }

    /// The oldest value; nil if none came within a minute.
    public func pop() -> Element? {
        elements.wait(for: .seconds(60)) { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
