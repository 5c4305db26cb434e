/// The loops that serve and the options they go by; behind one lock, so that no loop misses a change of options.
struct ServingLoops<Loop: Sendable, Options: Sendable>: Sendable {
    private(set) var options: Options
    /// In the order in which they began.
    private(set) var loops: [Loop] = []

    init(options: Options) { self.options = options }

    /// A loop begins; it must go by the options returned, later ones are brought to it.
    mutating func add(_ loop: Loop) -> Options {
        loops.append(loop)
        return options
    }

    /// Returns the loops the new options must be brought to.
    mutating func replaceOptions(_ new: Options) -> [Loop] {
        options = new
        return loops
    }

    /// All have ended; returns them, so that they are let go of outside the lock.
    mutating func removeLoops() -> [Loop] {
        defer { loops = [] }
        return loops
    }
}
