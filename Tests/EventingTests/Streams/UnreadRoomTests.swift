import HTTPCore
import Testing

@testable import Eventing

/// Where new bytes are read to while others are unread.
@Suite struct UnreadRoomTests {
    @Test(
        "bytes are read behind unread ones if 16 KiB or more are free there, and else into a larger buffer",
        arguments: [(49_152, [49_152, 65_536, 69_152]), (49_153, [49_153, 69_153])] as [(Int, [Int])]
    )
    func room(unread: Int, lent: [Int]) throws {
        let manual = try ManualLoop()
        defer { withExtendedLifetime(manual) {} }
        let (left, right) = try makePair(manual.loop)
        let reader = Scripted()
        var seen: [Int] = []
        reader.onRead = { _, bytes in
            seen.append(bytes.count)
            return 0
        }
        right.delegate = reader
        for count in [unread, 20_000] {
            left.write(ByteChunk([UInt8](repeating: 1, count: count)))
            left.flush()
            for _ in 0..<4 { manual.turn() }
        }
        #expect(seen == lent && right.unreadBytes == unread + 20_000)
    }
}
