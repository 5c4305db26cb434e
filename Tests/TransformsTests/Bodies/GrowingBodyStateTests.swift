import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// The state of a growing body: what stays in memory, and how much the origin may send.
@Suite("State of a growing body") struct GrowingBodyStateTests {
    private static let unit = 1024
    private static let limits: GrowingBody.Limits = {
        var limits = GrowingBody.Limits()
        (limits.ahead, limits.unflushed, limits.spilledWindow, limits.window) = (4 * unit, 8 * unit, 2 * unit, 8 * unit)
        limits.maximumMemoryObject = Int64(4 * unit)
        return limits
    }()

    private let context = ManualContext()

    private static func state(
        _ retention: GrowingBodyState.Retention = .memory,
        isShared: Bool = true,
        units: Int = 0
    ) -> GrowingBodyState {
        var state = GrowingBodyState(limits: limits, isShared: isShared, granted: Int64(4 * unit))
        state.retention = retention
        grow(&state, units)
        return state
    }

    private static func grow(_ state: inout GrowingBodyState, _ units: Int) {
        for _ in 0..<units { state.append(ByteChunk([UInt8](repeating: 7, count: unit))) }
    }

    private func add(_ state: inout GrowingBodyState, on context: ManualContext? = nil) -> UInt64 {
        state.addReader(from: 0, context: context ?? self.context, wake: {}) ?? 0
    }

    /// Reads so many units, each with a call.
    private func read(_ state: inout GrowingBodyState, _ id: UInt64, units: Int) {
        for _ in 0..<units {
            guard case .chunks(let chunks) = state.read(id, maximum: Self.unit) else {
                Issue.record("no bytes in memory")
                return
            }
            #expect(chunks.reduce(0) { $0 + $1.count } == Self.unit)
        }
    }

    private static func start(_ state: GrowingBodyState) -> Int { Int(state.window.start) / unit }

    // MARK: Credit

    @Test("in memory the origin may be ahead by a constant; small amounts are not granted")
    func creditInMemory() {
        var state = Self.state()
        #expect(state.credit() == 0)
        Self.grow(&state, 1)
        #expect(state.credit() == 1024 && state.credit() == 0)
        state.append(ByteChunk([UInt8](repeating: 7, count: 1023)))
        #expect(state.credit() == 0)
        state.append(ByteChunk([7]))
        #expect(state.credit() == 1024)
        Self.grow(&state, 3)
        state.end = .complete(trailers: nil)
        #expect(state.credit() == 0)
    }

    @Test("what goes to a file may wait there up to a limit")
    func creditForFile() {
        var state = Self.state(.spill)
        #expect(state.credit() == 4 * 1024)
        Self.grow(&state, 8)
        #expect(state.credit() == 0)
        state.flushed = 1023
        #expect(state.credit() == 0)
        state.flushed = 1024
        #expect(state.credit() == 1024)
    }

    @Test(
        "of what is not stored the fastest reader sets the pace, or the slowest where none may fall behind",
        arguments: [(true, true, 2), (true, false, 1), (false, false, 2), (false, true, 2)]
    )
    func pace(isShared: Bool, leavesSlow: Bool, units: Int) {
        var state = Self.state(.window, isShared: isShared)
        state.leavesSlowReaders = leavesSlow
        let (slow, fast) = (add(&state), add(&state))
        Self.grow(&state, 4)
        #expect(state.credit() == 0)
        read(&state, slow, units: 1)
        read(&state, fast, units: 2)
        #expect(state.credit() == units * 1024)
    }

    @Test("without a reader the origin waits where the fastest one was, unless somebody awaits the end")
    func unread() {
        var state = Self.state(.window, units: 4)
        #expect(state.credit() == 0)
        let reader = add(&state)
        read(&state, reader, units: 3)
        #expect(state.credit() == 3 * 1024)
        _ = state.removeReader(reader)
        #expect(state.credit() == 0)
        state.flowsUnread = true
        #expect(state.credit() == 1024)
    }

    // MARK: What stays in memory

    @Test("all stays in memory until it may go elsewhere")
    func memory() {
        var state = Self.state(units: 20)
        state.flushed = state.received
        state.trim()
        state.releaseMemory()
        #expect(Self.start(state) == 0 && state.window.count == 20 * 1024)
    }

    @Test("of what is in a file the last bytes stay in memory, and what is not flushed")
    func spilled() {
        var state = Self.state(.spill, units: 5)
        #expect(Self.start(state) == 0 && !state.isFlushed)
        state.flushed = 2 * 1024
        state.trim()
        #expect(Self.start(state) == 2)
        state.flushed = 5 * 1024
        state.trim()
        #expect(Self.start(state) == 3 && state.isFlushed)
        state.releaseMemory()
        #expect(Self.start(state) == 5 && state.acceptsReaders)
    }

    @Test("of what is not stored a window stays; where no reader may fall behind, all that one still needs")
    func window() {
        #expect(Self.start(Self.state(.window, units: 8)) == 0)
        var state = Self.state(.window, units: 10)
        #expect(Self.start(state) == 2 && !state.acceptsReaders)
        #expect(state.addReader(from: 0, context: context, wake: {}) == nil)
        state = Self.state(.window)
        let reader = add(&state)
        Self.grow(&state, 10)
        #expect(Self.start(state) == 0)
        state = Self.state(.window)
        _ = add(&state)
        Self.grow(&state, 8)
        read(&state, reader, units: 3)
        #expect(Self.start(state) == 0)
        Self.grow(&state, 1)
        #expect(Self.start(state) == 1)
        // Once a byte has left, no reader can join, and what all have read leaves at once.
        read(&state, reader, units: 1)
        #expect(Self.start(state) == 4)
        state = Self.state(.window)
        state.leavesSlowReaders = true
        _ = add(&state)
        Self.grow(&state, 10)
        #expect(Self.start(state) == 2)
    }

    @Test("the response of one client leaves memory as it is read")
    func unshared() {
        var state = Self.state(.window, isShared: false)
        let reader = add(&state)
        Self.grow(&state, 3)
        read(&state, reader, units: 1)
        #expect(Self.start(state) == 1 && !state.acceptsReaders)
        state.flushed = 1024
        #expect(!state.acceptsReaders)
    }

    @Test("the first bytes stay until the one client's reader begins, however few they are")
    func unsharedUnread() throws {
        var state = Self.state(.window, isShared: false)
        state.append(ByteChunk([7]))
        #expect(state.acceptsReaders && state.window.count == 1)
        let reader = add(&state)
        guard case .chunks(let chunks) = state.read(reader, maximum: 9) else {
            return #expect(Bool(false), "a byte has come")
        }
        #expect(chunks == [ByteChunk([7])])
    }

    @Test("once any byte has left, what all have read leaves at once", arguments: [true, false])
    func leavesAtOnce(leavesSlow: Bool) {
        var state = Self.state(.window)
        state.leavesSlowReaders = leavesSlow
        let readers = [add(&state), add(&state)]
        state.append(ByteChunk([7]))
        Self.grow(&state, 7)
        for reader in readers { _ = state.read(reader, maximum: 1) }
        #expect(state.window.start == 0)
        Self.grow(&state, 1)
        #expect(state.window.start == 1)
        for reader in readers { _ = state.read(reader, maximum: 2 * Self.unit) }
        #expect(state.window.start == 1 + 2 * Int64(Self.unit))
    }

    @Test("a reader that leaves takes along what only it still needed")
    func leavingReleases() {
        var state = Self.state(.window)
        let (slow, fast) = (add(&state), add(&state))
        Self.grow(&state, 10)
        read(&state, fast, units: 10)
        #expect(Self.start(state) == 0)
        _ = state.removeReader(slow)
        #expect(Self.start(state) == 2)
    }

    @Test("a failed body accepts no readers")
    func failed() {
        var state = Self.state(units: 1)
        #expect(state.acceptsReaders)
        state.end = .failed(ExchangeFailure(.connectionTerminated, "gone"))
        #expect(!state.acceptsReaders)
        Self.grow(&state, 1)
        #expect(state.received == 1024, "nothing grows after the end")
    }

    // MARK: Readers

    @Test("each reader is found by its number, whoever has left", arguments: 1...5)
    func index(left: UInt64) {
        var state = Self.state(units: 2)
        let numbers = (1...5).map { _ in add(&state) }
        #expect(numbers == [1, 2, 3, 4, 5])
        for number in [left, left, 9] { #expect(state.removeReader(number) == false) }
        for number in 1...5 as ClosedRange<UInt64> where number != left {
            read(&state, number, units: 2)
            #expect(state.readers.first { $0.id == number }?.offset == 2048)
        }
        guard case .failed = state.read(left, maximum: 1) else {
            Issue.record("it has left")
            return
        }
    }

    @Test("others may have waited for one that leaves only where the slowest sets the pace")
    func leaving() {
        for (retention, isShared, leavesSlow, expected) in [
            (.window, true, false, true), (.window, true, true, false), (.window, false, false, false),
            (.memory, true, false, false), (.spill, true, false, false),
        ] as [(GrowingBodyState.Retention, Bool, Bool, Bool)] {
            var state = Self.state(retention, isShared: isShared)
            state.leavesSlowReaders = leavesSlow
            let reader = add(&state)
            #expect(state.removeReader(reader) == expected, "\(retention) \(isShared) \(leavesSlow)")
        }
    }

    @Test("readers that wait are woken once for each context, and not if they have left")
    func waking() {
        var state = Self.state()
        let other = ManualContext()
        let ids = [add(&state), add(&state), add(&state, on: other)]
        #expect(state.wakeGroups().count == 0)
        for id in ids + ids {
            guard case .wait = state.read(id, maximum: 1) else {
                return #expect(Bool(false), "there is nothing to read")
            }
        }
        #expect(state.wakeGroups().count == 2 && state.wakeGroups().isEmpty)
        _ = state.removeReader(ids[0])
        #expect(state.takeWaiting(ObjectIdentifier(context)).count == 1)
        #expect(state.takeWaiting(ObjectIdentifier(context)).count == 0)
        _ = state.read(ids[1], maximum: 1)
        #expect(state.wakeGroups().count == 1, "the other context has not woken its readers yet")
        #expect(state.takeWaiting(ObjectIdentifier(other)).count == 1)
        #expect(state.takeWaiting(ObjectIdentifier(ManualContext())).count == 0)
    }

    @Test("the end comes behind the last byte")
    func end() {
        var state = Self.state(units: 1)
        let reader = add(&state)
        state.end = .complete(trailers: nil)
        read(&state, reader, units: 1)
        guard case .end = state.read(reader, maximum: 1) else { return #expect(Bool(false), "it is the end") }
        #expect(state.wakeGroups().count == 0)
    }

    @Test("what is not in memory any more comes from the file, as far as it is flushed")
    func file() {
        var state = Self.state(.spill, units: 5)
        state.writer = NoWriter()
        let reader = add(&state)
        state.flushed = 4 * 1024
        state.trim()
        #expect(Self.start(state) == 3)
        for (maximum, offset, count) in [(0, 0, 1), (1, 1, 1), (3000, 2, 3000), (9000, 3002, 1094)] {
            guard case .file(let region) = state.read(reader, maximum: maximum) else {
                return #expect(Bool(false), "it is in the file")
            }
            #expect(region.offset == Int64(offset) && region.count == count && state.lostReader(reader) == nil)
        }
        read(&state, reader, units: 1)
    }

    @Test("a reader is lost if its next bytes are neither in memory nor in a file")
    func lost() {
        var state = Self.state(.window)
        state.leavesSlowReaders = true
        let reader = add(&state)
        Self.grow(&state, 8)
        #expect(state.lostReader(reader) == nil)
        read(&state, reader, units: 1)
        Self.grow(&state, 1)
        #expect(Self.start(state) == 1 && state.lostReader(reader) == nil)
        Self.grow(&state, 1)
        #expect(state.lostReader(reader)?.offset == 1024 && state.lostReader(9) == nil)
        #expect(state.lostReader(reader)?.digests == nil)
        guard case .failed(let failure) = state.read(reader, maximum: 1) else {
            return #expect(Bool(false), "its bytes are gone")
        }
        let message = "the reader fell behind a response that is too large to be kept"
        #expect(failure == ExchangeFailure(.internalError, message))
        state.flushed = 1025
        #expect(state.lostReader(reader) != nil, "there is no file")
        state.writer = NoWriter()
        #expect(state.lostReader(reader) == nil)
        state.flushed = 1024
        #expect(state.lostReader(reader) != nil)
    }

    @Test("a body is deserted if it is open and nobody reads it, can begin to, or awaits its end")
    func deserted() {
        var state = Self.state(.window, units: 10)
        #expect(state.isDeserted)
        state.flowsUnread = true
        #expect(!state.isDeserted)
        state.flowsUnread = false
        state.end = .complete(trailers: nil)
        #expect(!state.isDeserted)
        #expect(!Self.state(.window, units: 8).isDeserted)
        state = Self.state(.window)
        state.leavesSlowReaders = true
        _ = add(&state)
        Self.grow(&state, 10)
        #expect(!state.isDeserted)
        _ = state.removeReader(1)
        #expect(state.isDeserted)
        state.retention = .memory
        #expect(!state.isDeserted)
    }

    // MARK: Digests

    @Test("digests begin before the first bytes leave memory, and only if they are wanted")
    func digests() throws {
        for makesDigests in [true, false] {
            var state = Self.state(.window)
            state.leavesSlowReaders = true
            if makesDigests { state.makesDigests = true }
            let (reader, _) = (add(&state), add(&state))
            Self.grow(&state, 12)
            let lost = try #require(state.lostReader(reader))
            #expect((lost.digests != nil) == makesDigests)
            #expect((lost.digests?.comparison(upTo: 12 * 1024 - 1) != nil) == makesDigests)
        }
    }

    @Test("digests end once nobody can fall behind any more")
    func digestsEnd() {
        func made(readers: Int, _ change: (inout GrowingBodyState) -> Void) -> Bool {
            var state = Self.state(.window)
            state.leavesSlowReaders = true
            state.makesDigests = true
            for _ in 0..<readers { _ = add(&state) }
            Self.grow(&state, 8)
            change(&state)
            return state.makesDigests
        }
        #expect(made(readers: 1) { _ in }, "another one can begin")
        #expect(made(readers: 2) { Self.grow(&$0, 1) }, "one may be slower than the other")
        #expect(!made(readers: 0) { Self.grow(&$0, 1) })
        #expect(!made(readers: 1) { Self.grow(&$0, 1) }, "the only one sets the pace")
        #expect(
            made(readers: 2) { state in
                read(&state, 1, units: 2)
                Self.grow(&state, 1)
                _ = state.removeReader(1)
            },
            "the only one is behind"
        )
    }

    @Test("in memory, and while little is held, there are no digests", arguments: [(2, false), (3, true)])
    func digestsOfFile(units: Int, areMade: Bool) {
        for retention in [.memory, .spill] as [GrowingBodyState.Retention] {
            var state = Self.state(retention)
            state.makesDigests = true
            let reader = add(&state)
            Self.grow(&state, units)
            // Then the rest is refused, and the file is gone.
            state.makesDigests = false
            state.retention = .spill
            state.flushed = state.received
            state.releaseMemory()
            let lost = state.lostReader(reader)
            #expect(lost != nil && (lost?.digests != nil) == (areMade && retention == .spill))
        }
    }

    // MARK: Storing

    @Test("a complete body is stored as memory or file, once that has all, or not at all")
    func storedAs() {
        for (retention, expected) in [(.memory, .memory), (.window, .nothing), (.spill, .notYet)]
            as [(GrowingBodyState.Retention, GrowingBodyState.StoredAs)]
        {
            var state = Self.state(retention, units: 1)
            #expect(state.storedAs == .notYet)
            state.end = .complete(trailers: nil)
            #expect(state.storedAs == expected)
            state.flushed = 1023
            #expect(state.storedAs == expected)
            state.flushed = 1024
            #expect(state.storedAs == (retention == .spill ? .file : expected))
            state.end = .failed(ExchangeFailure(.connectionTerminated, "gone"))
            #expect(state.storedAs == .failed)
        }
    }

    @Test("if the store refuses the rest, small content stays in memory as long as all is there")
    func givingUp() {
        for (units, flushed, expected) in [(4, 0, .memory), (5, 0, .window), (4, 4, .window)]
            as [(Int, Int, GrowingBodyState.Retention)]
        {
            var state = Self.state(.spill, units: units)
            state.flushed = Int64(flushed * Self.unit)
            state.trim()
            state.giveUpSpilling()
            #expect(state.retention == expected, "\(units), \(flushed)")
        }
        var state = Self.state(.window)
        state.giveUpSpilling()
        #expect(state.retention == .window)
    }
}

private final class NoWriter: BodyWriter {
    let descriptor: Int32 = 99

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }
    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {}
    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) {}
    func discard() {}
}
