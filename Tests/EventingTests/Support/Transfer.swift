import Glibc
import HTTPCore

@testable import Eventing

/// 64 KiB, twice over: what is sent and compared.
private let pattern: [UInt8] = {
    let once = (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    return once + once
}()

/// Sends the pattern again and again, as much as the stream wants.
final class Producer: StreamDelegate {
    private let total: Int
    private var written = 0
    private let chunk = ByteChunk(pattern, range: 0..<65536)
    private(set) var mostUnsent = 0

    init(total: Int) { self.total = total }

    func produce(_ stream: Stream) {
        while written < total && !stream.isSaturated {
            stream.write(chunk)
            written += chunk.count
        }
        mostUnsent = max(mostUnsent, stream.unsentBytes)
        if written == total { stream.closeAfterSending() }
    }

    func streamDidDrain(_ stream: Stream) { produce(stream) }
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int { bytes.count }
    func stream(_ stream: Stream, didFail error: StreamError) {}
}

/// Compares what it reads with the pattern, and pauses now and then.
final class SlowReader: StreamDelegate {
    struct Report: Sendable {
        var received: Int
        var isWhole: Bool
        var mostUnsent: Int
    }

    private var received = 0
    private var isWhole = true
    private var calls = 0
    private let onEnd: (Int, Bool) -> Void

    init(onEnd: @escaping (Int, Bool) -> Void) { self.onEnd = onEnd }

    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        calls += 1
        // Some bytes are left unread, so that borders move.
        let count = calls % 3 == 0 ? max(1, bytes.count - 7) : bytes.count
        let offset = received % 65536
        let isEqual = bytes.withUnsafeBufferPointer { read in
            pattern.withUnsafeBufferPointer { sent in
                guard let read = read.baseAddress, let sent = sent.baseAddress else { return true }
                return memcmp(read, sent + offset, min(count, 65536)) == 0
            }
        }
        if !isEqual { isWhole = false }
        received += count
        if calls % 16 == 0 {
            stream.isReading = false
            stream.loop.schedule(after: .milliseconds(1)) { stream.isReading = true }
        }
        return count
    }

    func streamDidReachEnd(_ stream: Stream) {
        onEnd(received + stream.unreadBytes, isWhole)
        stream.close()
    }

    func stream(_ stream: Stream, didFail error: StreamError) { onEnd(received, false) }
}
