import HTTPCore
import Locking
import Stores
import Testing

@testable import EntityStorage

/// In which order the writer gets its work, and what is refused.
@Suite("Work in the writer's queue") struct QueuedWorkTests {
    private static let limits = StoreLimits(limit: 64 << 20, maximumObjectSize: 1 << 20)
    private let steps = Steps()

    /// What happened, in order; safe from any thread.
    private final class Steps: Sendable {
        private let steps = Lock<[String]>([])
        func add(_ step: String) { steps.withLock { $0.append(step) } }
        func take() -> [String] {
            steps.withLock { steps in
                defer { steps = [] }
                return steps
            }
        }
    }

    private func queue(bytes: Int64 = 1 << 30, count: Int = 1000) -> WriteQueue {
        WriteQueue(limits: Self.limits, byteLimit: bytes, countLimit: count) { [steps] atOnce in
            steps.add(atOnce ? "at once" : "later")
        }
    }

    private func commit(_ path: String, _ count: Int = 0) -> RowOperation {
        .commit(record(path, [UInt8](repeating: 1, count: count))) { _ in }
    }

    private func invalidate(_ path: String) -> RowOperation { .invalidate(uri(path)) { _ in } }

    /// What the writer would take now, until there is nothing.
    private func drain(_ queue: WriteQueue) -> [String] {
        var taken: [String] = []
        while let work = queue.take() {
            switch work {
            case .rows(let rows):
                taken.append(rows.map { $0.uri.text.suffix(2) }.joined())
                queue.didEnd(rows)
            case .excess(let rows):
                taken.append("excess \(rows.count)")
                queue.didEnd(rows)
            case .control: taken.append("control")
            case .reading: taken.append("reading")
            }
        }
        return taken
    }

    @Test("the writer is woken once for a batch, and at once for what is urgent, large or much")
    func waking() {
        let queue = queue()
        #expect(queue.add(commit("/1")) && queue.add(commit("/2")) && steps.take() == ["later"])
        #expect(queue.add(commit("/3"), isUrgent: true) && queue.add(commit("/4"), isUrgent: true))
        #expect(steps.take() == ["at once"] && queue.add(commit("/5")) && steps.take().isEmpty)
        #expect(queue.count == 5 && drain(queue) == ["/1/2/3/4/5"] && queue.count == 0)
        #expect(queue.add(commit("/1")) && steps.take() == ["later"])
        queue.add { _ in }
        #expect(steps.take() == ["at once"])
        queue.addAhead { _ in }
        #expect(steps.take().isEmpty && drain(queue) == ["control", "/1", "control"])
        // A batch's worth of changes, or of bytes
        for number in 0..<99 { #expect(queue.add(invalidate("/\(number)"))) }
        #expect(steps.take() == ["later"])
        #expect(queue.add(invalidate("/x")) && steps.take() == ["at once"])
        _ = drain(queue)
        #expect(queue.add(commit("/1", 1 << 20)) && steps.take() == ["at once"])
    }

    @Test("work keeps its order, but for what goes ahead of everything")
    func order() {
        let queue = queue()
        #expect(queue.add(commit("/1")))
        queue.add { _ in }
        #expect(queue.add(commit("/2")))
        queue.afterChanges(of: uri("/2")) { _ in }
        #expect(queue.add(invalidate("/3")) && queue.invalidationCount == 1)
        queue.addAhead { _ in }
        #expect(queue.count == 5)
        #expect(drain(queue) == ["control", "/1", "control", "/2", "reading", "/3"])
        #expect(queue.count == 0 && queue.invalidationCount == 0 && queue.take() == nil)
    }

    @Test("a look-up waits for changes of its URI alone, and for as long as they are not committed")
    func reading() {
        let queue = queue()
        let read: @Sendable (String) -> @Sendable (HiddenChanges) -> Void = { [steps] name in
            { hidden in steps.add(hidden.contains(uri("/1").bytes) ? "\(name) without /1" : name) }
        }
        queue.afterChanges(of: nil, read("first"))
        #expect(steps.take() == ["first"])
        for _ in 0..<2 { #expect(queue.add(commit("/1"))) }
        guard case .rows(let rows)? = queue.take() else { Issue.record("no rows"); return }
        _ = steps.take()
        queue.afterChanges(of: uri("/2"), read("other"))
        queue.afterChanges(of: uri("/1"), read("own"))
        queue.afterChanges(of: nil, read("any"))
        #expect(steps.take() == ["other", "at once"])
        queue.didEnd(Array(rows.prefix(1)))
        queue.afterChanges(of: uri("/1"), read("again"))
        #expect(steps.take().isEmpty, "one of two changes is left")
        queue.didEnd(Array(rows.suffix(1)))
        queue.afterChanges(of: uri("/1"), read("last"))
        #expect(steps.take() == ["last"])
        while case .reading(let read)? = queue.take() { read(HiddenChanges()) }
        #expect(steps.take() == ["own", "any", "again"])
    }

    @Test("with more changes than its limit the queue takes no rows any more, and everything else")
    func fullByCount() {
        let queue = queue(count: 2)
        for number in 0..<3 { #expect(queue.add(commit("/\(number)"))) }
        #expect(!queue.add(commit("/3")) && queue.add(invalidate("/4")) && queue.count == 4)
        #expect(drain(queue) == ["/0/1/2/4"] && queue.add(commit("/5")))
    }

    @Test("with as many bytes as its limit the queue takes no more of them, to the byte")
    func fullByBytes() {
        let one = commit("/1", 1000).bytes
        let queue = queue(bytes: 2 * one)
        #expect(one > 1000 && queue.add(commit("/1", 1000)) && queue.add(commit("/2", 1000)))
        #expect(!queue.add(commit("/3")) && queue.add(invalidate("/4")))
        guard case .rows(let rows)? = queue.take() else { Issue.record("no rows"); return }
        #expect(rows.count == 3 && queue.add(commit("/5", 1000)) && queue.add(commit("/6", 1000)))
        #expect(!queue.add(commit("/7", 1000)))
        let less = self.queue(bytes: one - 1)
        #expect(!less.add(commit("/1", 1000)))
    }

    @Test("a transaction has a hundred changes at most, and a MiB, but always one")
    func batches() {
        func sizes(_ operations: [RowOperation]) -> [Int] {
            let queue = queue()
            for operation in operations { #expect(queue.add(operation)) }
            var sizes: [Int] = []
            while case .rows(let rows)? = queue.take() { sizes.append(rows.count) }
            return sizes
        }
        #expect(sizes((0..<250).map { invalidate("/\($0)") }) == [100, 100, 50])
        #expect(sizes([commit("/1", 2 << 20), commit("/2", 2 << 20)]) == [1, 1])
        let half = Int(Self.limits.batchBytes / 2 - (commit("/1").bytes))
        #expect(sizes((1..<5).map { commit("/\($0)", half) }) == [2, 2])
        #expect(sizes((1..<5).map { commit("/\($0)", half + 1) }) == [1, 1, 1, 1])
    }

    @Test("a transaction changes half of the log's pages at most, to the page")
    func frames() {
        func tagged(_ count: Int, _ content: Int) -> RowOperation {
            let tags = (0..<count).map { "tag-\($0)" }.joined(separator: ",")
            let content = [UInt8](repeating: 1, count: content)
            return .commit(record("/1", content, fields: [("Cache-Tag", tags)])) { _ in }
        }
        func sizes(_ operations: [RowOperation]) -> [Int] {
            let queue = queue()
            for operation in operations { #expect(queue.add(operation)) }
            var sizes: [Int] = []
            while case .rows(let rows)? = queue.take() { sizes.append(rows.count) }
            return sizes
        }
        let many = [RowOperation](repeating: tagged(32, 0), count: 14)
        let (last, more) = (tagged(17, 5_000), tagged(17, 9_000))
        #expect(many[0].frames == 74 && last.frames == 45 && more.frames == 46)
        #expect(Self.limits.logFrames / 2 == 14 * 74 + 45)
        #expect(sizes(many + [last]) == [15] && sizes(many + [more]) == [14, 1])
    }

    // MARK: A locked database

    @Test("a blocked queue keeps its changes in order, and lets look-ups go without what they hide")
    func blocked() {
        let queue = queue(count: 2)
        let read: @Sendable (HiddenChanges) -> Void = { [steps] hidden in
            steps.add(["/1", "/2", "/3"].filter { hidden.contains(uri($0).bytes) }.joined())
        }
        #expect(queue.add(commit("/1")) && queue.add(commit("/2")))
        guard case .rows(let rows)? = queue.take() else { Issue.record("no rows"); return }
        queue.afterChanges(of: uri("/1"), read)
        _ = steps.take()
        queue.block(rows)
        #expect(queue.isBlocked && steps.take() == ["/1/2"] && queue.count == 2)
        #expect(queue.take() == nil)
        queue.afterChanges(of: uri("/2"), read)
        queue.afterChanges(of: uri("/3"), read)
        #expect(steps.take() == ["/1/2", ""])
        queue.addAhead { _ in }
        guard case .control? = queue.take() else { Issue.record("nothing goes ahead"); return }
        #expect(queue.take() == nil && queue.add(invalidate("/3")) && queue.add(invalidate("/4")))
        #expect(queue.count == 4 && queue.take() == nil)
        // With more than twice the limit the oldest are given up.
        #expect(queue.add(invalidate("/5")))
        guard case .excess(let excess)? = queue.take() else { Issue.record("nothing is given up"); return }
        #expect(excess.count == 5 && queue.count == 0)
        queue.didEnd(excess)
        #expect(queue.add(commit("/6")))
        queue.unblock()
        #expect(!queue.isBlocked && drain(queue) == ["/6"])
    }

    // MARK: Operations

    @Test("what an operation does decides whether it may be refused, waits for an answer, and ends how")
    func operations() {
        let ends = Steps()
        let durable: @Sendable (Bool) -> Void = { ends.add($0 ? "done" : "given up") }
        let all: [RowOperation] = [
            .commit(record("/1"), durable), .freshen(record("/1"), durable), .invalidate(uri("/1"), durable),
            .removeVariant(uri("/1"), .shared, []), .remove(uri("/1")) { ends.add("removed \($0)") },
            .dropDamaged(uri("/1"), row: 1), .dropUnreadable(uri("/1")),
        ]
        #expect(all.allSatisfy { $0.uri == uri("/1") })
        #expect(all.map(\.isCommit) == [true, false, false, false, false, false, false])
        #expect(all.map(\.isInvalidation) == [false, false, true, false, false, false, false])
        #expect(all.map(\.isPromise) == [false, false, false, false, true, false, false])
        #expect(all.map(\.outcomeOfLoss) == [nil, nil, 0, 0, 0, 0, 0])
        for operation in all { operation.complete(2) }
        #expect(ends.take() == ["done", "done", "done", "removed 2"])
        for operation in all { operation.complete(nil) }
        #expect(ends.take() == ["given up", "given up", "given up", "removed 0"])
    }

    @Test("an operation takes room for its head, its content in the table, and its tags")
    func sizes() {
        let (plain, small) = (commit("/1"), commit("/1", 10_000))
        #expect(small.bytes == plain.bytes + 10_000 && plain.bytes > 128)
        let longer = RowOperation.commit(record("/12", [])) { _ in }
        #expect(longer.bytes == plain.bytes + 1)
        #expect(invalidate("/1").bytes == 0 && invalidate("/1").frames == 10 && invalidate("/1").pagesNeeded == 0)
        #expect(plain.frames == 10 && small.frames == 12)
        #expect(plain.pagesNeeded == 3 && small.pagesNeeded == 5)
        let tags = (0..<32).map { "tag-\($0)" }.joined(separator: ",")
        let tagged = record("/1", [], fields: [("Cache-Tag", tags)])
        #expect(RowOperation.commit(tagged) { _ in }.frames == 74)
        #expect(RowOperation.commit(tagged) { _ in }.pagesNeeded == 5)
        #expect(
            RowOperation.freshen(tagged) { _ in }.pagesNeeded == 3 && RowOperation.freshen(tagged) { _ in }.frames == 74
        )
    }
}
