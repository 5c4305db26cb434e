/// The loops that serve, and their options; behind one lock, so that no loop misses a change of options.
struct ServingLoops<Loop: Sendable, Options: Sendable>: Sendable {
    private(set) var options: Options
    /// The loops in the order in which they started.
    private(set) var loops: [Loop] = []

    init(options: Options) { self.options = options }

    /// Adds a loop that starts; it uses the returned options, and gets later ones.
    mutating func add(_ loop: Loop) -> Options {
        loops.append(loop)
        return options
    }

    /// Replaces the options; returns the loops that must get them.
    mutating func replaceOptions(_ new: Options) -> [Loop] {
        options = new
        return loops
    }

    /// Removes all loops, which have ended; returns them, so that they are released outside the lock.
    mutating func removeLoops() -> [Loop] {
        defer { loops = [] }
        return loops
    }
}
