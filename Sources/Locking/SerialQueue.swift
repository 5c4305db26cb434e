/// What is to be done in order, one after another, under no lock: by the thread that finds nobody at it.
///
/// A value; its owner asks `begin` whether to work, then does what `next` returns, until that is nil.
public struct SerialQueue<Element: Sendable>: Sendable {
    public private(set) var elements: [Element] = []
    private var isRunning = false
    /// Somebody is going to begin elsewhere.
    private var isScheduled = false

    public init() {}

    /// Nothing is to be done, and nobody is at it.
    public var isIdle: Bool { elements.isEmpty && !isRunning }
    public var hasElements: Bool { !elements.isEmpty }

    public mutating func append(_ new: some Sequence<Element>) { elements += new }

    /// Changes what is still to be done.
    public mutating func update(_ body: (inout Element) -> Void) {
        for index in elements.indices { body(&elements[index]) }
    }

    /// Whether the caller must have somebody call `beginScheduled`.
    public mutating func schedule() -> Bool {
        guard !isScheduled, !isRunning, !elements.isEmpty else { return false }
        isScheduled = true
        return true
    }

    public mutating func beginScheduled() -> Bool {
        isScheduled = false
        return begin()
    }

    /// Whether the caller is to work: nobody else does, and there is something to be done.
    public mutating func begin() -> Bool {
        guard !isRunning, !elements.isEmpty else { return false }
        isRunning = true
        return true
    }

    /// What is to be done now; nil: nothing any more, the work ends.
    public mutating func next() -> [Element]? {
        if elements.isEmpty {
            isRunning = false
            return nil
        }
        defer { elements = [] }
        return elements
    }
}
