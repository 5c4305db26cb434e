import HTTPCore
import Testing

@testable import Eventing

@Suite("What an idle stream has received")
struct IdleInputTests {
    private static let twenty = Array(UInt8(1)...20)

    @Test("an idle stream reports unexpected bytes, sixteen at a time, nothing while quiet, and its end")
    func plain() throws {
        let manual = try ManualLoop()
        defer { withExtendedLifetime(manual) {} }
        let (left, right) = try makePair(manual.loop)
        #expect(left.readIdleInput() == IdleInput.none)
        right.append { $0 += Self.twenty }
        right.flush()
        #expect(left.readIdleInput() == IdleInput.bytes(Array(1...16)))
        #expect(left.readIdleInput() == IdleInput.bytes(Array(17...20)))
        #expect(left.readIdleInput() == IdleInput.none)
        right.closeWrite()
        #expect(left.readIdleInput() == IdleInput.ended && left.isOpen)
    }

    @Test("what its owner has left unread counts, but not while it is being lent")
    func unread() throws {
        let manual = try ManualLoop()
        defer { withExtendedLifetime(manual) {} }
        let (left, right) = try makePair(manual.loop)
        let reader = Scripted()
        var seen: [IdleInput] = []
        reader.onRead = { stream, _ in
            seen.append(stream.readIdleInput())
            return 0
        }
        left.delegate = reader
        for bytes in [[21], [22], Self.twenty] {
            right.append { $0 += bytes }
            right.flush()
            manual.turn()
        }
        #expect(seen == [IdleInput.none, IdleInput.none, IdleInput.none] && left.unreadBytes == 22)
        #expect(left.readIdleInput() == IdleInput.bytes([21, 22] + Array(1...14)) && left.unreadBytes == 22)
    }

    @Test("under TLS its own messages do not count; content, a part of a record and the end do")
    func secure() throws {
        let pair = try SecurePair()
        try pair.shakeHands()
        // The server's tickets have come by now, and nobody has read them.
        #expect(pair.client.readIdleInput() == IdleInput.none)
        pair.server.append { $0 += Self.twenty }
        pair.server.flush()
        #expect(pair.client.readIdleInput() == IdleInput.bytes(Array(1...16)))
        #expect(pair.client.readIdleInput() == IdleInput.none && pair.client.isOpen)
        // The header of a record of 40 bytes, and the first of them
        let part: [UInt8] = [0x17, 3, 3, 0, 40, 1]
        _ = SocketCalls.send(part.span, to: pair.server.descriptor)
        #expect(pair.client.readIdleInput() == IdleInput.ended)
        let ending = try SecurePair()
        try ending.shakeHands()
        ending.settle()
        ending.server.close()
        #expect(ending.client.readIdleInput() == IdleInput.ended && ending.client.isOpen)
    }
}
