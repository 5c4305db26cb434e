/// A queue whose readers sleep while it is empty.
public final class BlockingQueue<Element: Sendable>: Sendable {
    private struct State {
        /// The elements; the first `taken` slots are empty already.
        var elements: [Element] = []
        var taken = 0
        var isClosed = false

        var count: Int { elements.count - taken }

        mutating func take() -> Element {
            let element = elements[taken]
            taken += 1
            if taken == elements.count {
                elements.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken > 64 && taken > elements.count / 2 {
                elements.removeFirst(taken)
                taken = 0
            }
            return element
        }
    }

    private let state = Monitor(State())

    public init() {}

    /// How many elements wait.
    public var count: Int { state.withLock { $0.count } }

    /// Appends an element.
    ///
    /// - Returns: false, without effect, if the queue is closed or holds `limit` elements.
    @discardableResult
    public func push(_ element: Element, limit: Int = .max) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isClosed, state.count < limit else { return false }
            state.elements.append(element)
            return true
        }
        if isAccepted { state.wakeOne() }
        return isAccepted
    }

    /// Removes the oldest element; blocks until there is one.
    ///
    /// - Returns: the element; nil once the queue is closed and empty.
    public func pop() -> Element? {
        state.wait { state -> Element?? in
            if state.count > 0 { return .some(state.take()) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Accepts no more elements; `pop()` returns the remaining ones, then nil.
    public func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}
