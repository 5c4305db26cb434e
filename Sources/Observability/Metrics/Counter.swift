import Synchronization

/// A number that only grows.
///
/// Each loop counts in its own cache line.
public final class Counter: Sendable {
    private let shared = Atomic<Int>(0)
    private let shards: [CounterShard]

    /// - Parameter shards: the number of loops with a counter of their own.
    public init(shards: Int = 0) {
        self.shards = (0..<max(0, shards)).map { _ in CounterShard() }
    }

    /// Counts from any thread.
    public func add(_ count: Int = 1) { shared.wrappingAdd(count, ordering: .relaxed) }

    /// The shard of loop `index`, which only that loop may use; nil if there is none.
    ///
    /// Keep it: adding to it takes a plain load and store.
    public func shard(_ index: Int) -> CounterShard? { shards.indices.contains(index) ? shards[index] : nil }

    /// This counter for loop `index`: its shard, if there is one.
    public func counting(on index: Int) -> LoopCounter { LoopCounter(self, own: shard(index)) }

    /// The sum of all shards, which may change meanwhile.
    public var value: Int { shards.reduce(shared.load(ordering: .relaxed)) { $0 &+ $1.value } }
}

/// One loop's part of a counter.
public final class CounterShard: Sendable {
    private let count = Atomic<Int>(0)
    /// Keeps other objects out of this cache line.
    private let padding = (0, 0, 0, 0, 0, 0)

    /// Adds to the count; only one thread may call this.
    public func add(_ number: Int = 1) {
        count.store(count.load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    var value: Int { count.load(ordering: .relaxed) }
}

/// A counter for one loop; only that loop may use it.
public struct LoopCounter: Sendable {
    private let counter: Counter
    private let own: CounterShard?

    fileprivate init(_ counter: Counter, own: CounterShard?) {
        self.counter = counter
        self.own = own
    }

    public func add(_ number: Int = 1) {
        if let own { own.add(number) } else { counter.add(number) }
    }
}
