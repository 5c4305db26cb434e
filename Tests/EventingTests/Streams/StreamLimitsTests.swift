import HTTPCore
import Testing

@testable import Eventing

/// How much and for how long a stream waits, on a clock by hand.
@Suite struct StreamLimitsTests {
    /// Takes no bytes, and leaves the rest to the usual answers of a delegate.
    private final class Idle: StreamDelegate {
        var failures: [StreamError] = []

        func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int { 0 }
        func stream(_ stream: Stream, didFail error: StreamError) { failures.append(error) }
    }

    /// Two connected streams and their loop.
    private static func make() throws -> (ManualLoop, Stream, Stream) {
        let manual = try ManualLoop()
        let (left, right) = try makePair(manual.loop)
        return (manual, left, right)
    }

    private func isGone(_ stream: Stream) -> Bool { stream.descriptor < 0 }

    @Test("four mebibytes may be left unread, a byte more fails the stream")
    func unreadLimit() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        let idle = Idle()
        right.delegate = idle
        left.write(ByteChunk([UInt8](repeating: 1, count: 4 << 20)))
        manual.turn(until: { right.unreadBytes == 4 << 20 })
        #expect(right.unreadBytes == 4 << 20 && right.isOpen && idle.failures.isEmpty)
        left.append { $0.append(2) }
        manual.turn(until: { !right.isOpen })
        #expect(idle.failures == [.unreadLimit] && isGone(right))
    }

    @Test("bytes that are lent again may be consumed in parts")
    func parts() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        let reader = Scripted()
        var seen: [[UInt8]] = []
        reader.onRead = { _, bytes in
            seen.append(bytes)
            return seen.count == 1 ? 0 : 2
        }
        right.delegate = reader
        left.append { $0 += [1, 2, 3, 4, 5] }
        left.flush()
        manual.turn()
        for _ in 0..<4 {
            right.redeliver()
            manual.turn()
        }
        #expect(seen == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [3, 4, 5], [5]] && right.unreadBytes == 0)
    }

    @Test("a read deadline may be given in nanoseconds, far away, and cleared; the usual answer to it is to close")
    func readDeadlines() throws {
        let (manual, _, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        right.delegate = Idle()
        right.setReadDeadline(afterNanoseconds: 1_000_000_000)
        right.clearReadDeadline()
        manual.advance(by: .seconds(10))
        #expect(right.isOpen)
        right.setReadDeadline(afterNanoseconds: .max)
        manual.advance(by: .seconds(1000))
        #expect(right.isOpen)
        right.setReadDeadline(afterNanoseconds: 1_000_000_000)
        manual.advance(by: .milliseconds(999))
        #expect(right.isOpen)
        manual.advance(by: .milliseconds(101))
        #expect(isGone(right))
    }

    @Test("the usual answer to the peer's end is to close once all is sent")
    func usualEnd() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        right.delegate = Idle()
        right.append { $0 += [1] }
        left.closeWrite()
        manual.turn(until: { isGone(right) })
        #expect(isGone(right) && SocketCalls.receive(upTo: 16, from: left.descriptor) == [1])
    }

    @Test(
        "a stream that closes after sending waits half a minute for its peer, or as long as it was told before",
        arguments: [nil, 5] as [Int?]
    )
    func closingTime(told: Int?) throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        if let told { left.setSendTimeout(.seconds(told)) }
        right.isReading = false
        left.write(ByteChunk([UInt8](repeating: 0, count: 8 << 20)))
        left.closeAfterSending()
        manual.turn()
        manual.advance(by: .seconds(told ?? 30) - .milliseconds(1))
        #expect(!isGone(left) && !left.isOpen)
        manual.advance(by: .milliseconds(102))
        #expect(isGone(left))
    }

    @Test("a lingering close takes two seconds at most, and 262 144 bytes")
    func lingering() throws {
        let (manual, left, _) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        left.lingeringClose()
        manual.advance(by: .milliseconds(1999))
        #expect(!isGone(left) && !left.isOpen)
        manual.advance(by: .milliseconds(102))
        #expect(isGone(left))
        let (near, far) = try makePair(manual.loop)
        near.lingeringClose()
        far.write(ByteChunk([UInt8](repeating: 0, count: 262_143)))
        manual.turn(until: { far.unsentBytes == 0 })
        for _ in 0..<8 { manual.turn() }
        #expect(near.lingerBudget == 1 && !isGone(near))
        far.append { $0.append(0) }
        manual.turn(until: { isGone(near) })
        #expect(isGone(near))
    }

    @Test("a close does not linger once the peer has ended, before or meanwhile")
    func lingeringEnd() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        left.delegate = Scripted()
        right.closeWrite()
        manual.turn(until: { left.isAtEnd })
        left.append { $0 += [1] }
        left.lingeringClose()
        manual.turn()
        #expect(isGone(left) && SocketCalls.receive(upTo: 16, from: right.descriptor) == [1])
        let (near, far) = try makePair(manual.loop)
        near.lingeringClose()
        manual.turn()
        #expect(!isGone(near))
        far.closeWrite()
        manual.turn(until: { isGone(near) })
        #expect(isGone(near))
    }

    @Test("the send time-out begins anew when the peer takes bytes, and not when more are written")
    func sendTimeout() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        let idle = Idle()
        left.delegate = idle
        right.isReading = false
        left.setSendTimeout(.seconds(5))
        left.write(ByteChunk([UInt8](repeating: 0, count: 8 << 20)))
        for _ in 0..<8 { manual.turn() }
        manual.advance(by: .seconds(4))
        let unsent = left.unsentBytes
        #expect(!SocketCalls.receive(upTo: 1 << 20, from: right.descriptor).isEmpty)
        for _ in 0..<8 { manual.turn() }
        #expect(left.unsentBytes > 0 && left.unsentBytes < unsent)
        manual.advance(by: .seconds(4))
        #expect(left.isOpen && idle.failures.isEmpty)
        let more: [UInt8] = [1, 2]
        left.append { $0 += more }
        left.flush()
        left.writeThrough(more.span)
        for _ in 0..<8 { manual.turn() }
        manual.advance(by: .milliseconds(999))
        #expect(left.isOpen && idle.failures.isEmpty)
        manual.advance(by: .milliseconds(102))
        #expect(idle.failures == [.sendTimeout] && isGone(left))
    }

    @Test("another send time-out counts from when it is set; without one a stream waits for ever, but not its close")
    func otherSendTimeout() throws {
        let (manual, left, right) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        let idle = Idle()
        left.delegate = idle
        right.isReading = false
        left.setSendTimeout(.seconds(5))
        left.write(ByteChunk([UInt8](repeating: 0, count: 8 << 20)))
        for _ in 0..<8 { manual.turn() }
        manual.advance(by: .seconds(4))
        left.setSendTimeout(.seconds(3))
        manual.advance(by: .milliseconds(2900))
        #expect(left.isOpen)
        left.setSendTimeout(nil)
        manual.advance(by: .seconds(1000))
        #expect(left.isOpen && idle.failures.isEmpty)
        left.closeAfterSending()
        manual.turn()
        manual.advance(by: .milliseconds(29_999))
        #expect(!isGone(left))
        manual.advance(by: .milliseconds(102))
        #expect(isGone(left) && idle.failures.isEmpty)
    }

    @Test("a stream is saturated from 256 KiB of unsent bytes on, and drained from 64 KiB on unless told otherwise")
    func waterMarks() throws {
        let (manual, left, _) = try Self.make()
        defer { withExtendedLifetime(manual) {} }
        #expect(left.lowWaterMark == 65_536)
        left.write(ByteChunk([UInt8](repeating: 0, count: 262_143)))
        #expect(left.unsentBytes == 262_143 && !left.isSaturated)
        left.append { $0 += [1] }
        #expect(left.unsentBytes == 262_144 && left.isSaturated)
        left.lowWaterMark = 7
        #expect(left.lowWaterMark == 7)
    }
}
