import Glibc
import HTTPCore
import Testing

@testable import Eventing

/// Streams whose peer takes no more.
@Suite struct WriteFailureTests {
    /// What a stream by hand has told, and its peer.
    private final class World {
        let manual: ManualLoop
        let stream: Stream
        let peer: Stream
        var got: [UInt8] = []
        var events: [String] = []

        init(readsOn: Bool) throws {
            manual = try ManualLoop()
            (stream, peer) = try makePair(manual.loop)
            stream.readsOnWhenWritesFail = readsOn
            let delegate = Scripted()
            delegate.onRead = { [unowned self] _, bytes in
                got += bytes
                return bytes.count
            }
            delegate.onDrain = { [unowned self] stream in events.append("drained to \(stream.unsentBytes)") }
            delegate.onEnd = { [unowned self] _ in events.append("end") }
            delegate.onFail = { [unowned self] _, error in events.append("\(error)") }
            stream.delegate = delegate
        }

        /// Lets the peer take nothing more, while it may still write.
        func refuse() { shutdown(peer.descriptor, Int32(SHUT_RD)) }
    }

    @Test("a stream that reads on drops what it has to write, and reads its peer's bytes to their end")
    func readingOn() throws {
        let world = try World(readsOn: true)
        defer { withExtendedLifetime(world) {} }
        let stream = world.stream
        stream.setSendTimeout(.seconds(1))
        // Given unsent bytes for which the peer has no room
        stream.write(ByteChunk([UInt8](repeating: 1, count: 8 << 20)))
        stream.flush()
        #expect(stream.unsentBytes > 0 && stream.isSaturated && stream.watchesWrites)
        // When it takes nothing more
        world.refuse()
        stream.append { $0.append(1) }
        stream.flush()
        world.manual.turn()
        // Then they are dropped, and so is what is written later
        #expect(stream.isOpen && !stream.isBidirectional && stream.unsentBytes == 0 && !stream.watchesWrites)
        #expect(world.events == ["drained to 0"])
        stream.append { $0.append(2) }
        #expect(stream.unsentBytes == 0)
        // And neither the time for sending nor another write ends the stream
        world.manual.advance(by: .seconds(60))
        world.peer.append { $0 += [7, 8] }
        world.peer.closeWrite()
        world.manual.turn(until: { world.events.count > 1 })
        #expect(world.got == [7, 8] && world.events == ["drained to 0", "end"] && stream.isOpen)
    }

    @Test("another stream fails at once, and so does one whose peer has ended already", arguments: [true, false])
    func failing(readsOn: Bool) throws {
        let world = try World(readsOn: readsOn)
        if readsOn {
            world.peer.close()
            world.manual.turn(until: { world.stream.isAtEnd })
        } else {
            world.refuse()
        }
        world.stream.append { $0.append(1) }
        world.manual.turn()
        #expect(world.events == (readsOn ? ["end", "reset"] : ["reset"]) && !world.stream.isOpen)
    }

    @Test("a failure of what is sent at once is reported at the end of the turn")
    func writeThrough() throws {
        let world = try World(readsOn: false)
        world.refuse()
        let bytes: [UInt8] = [1, 2]
        world.stream.writeThrough(bytes.span)
        #expect(world.events.isEmpty && world.stream.isOpen)
        world.manual.turn()
        #expect(world.events == ["reset"] && !world.stream.isOpen)
    }

    @Test("bytes count as sent once the system has them, those sent at once and those kept for later alike")
    func counts() throws {
        let world = try World(readsOn: false)
        defer { withExtendedLifetime(world) {} }
        let stream = world.stream
        let (few, many): ([UInt8], [UInt8]) = ([1, 2], [UInt8](repeating: 3, count: 4 << 20))
        stream.writeThrough(few.span)
        #expect(stream.sentBytes == 2 && stream.unsentBytes == 0)
        stream.append { $0 += [4, 5, 6] }
        #expect(stream.sentBytes == 2 && stream.unsentBytes == 3)
        stream.flush()
        #expect(stream.sentBytes == 5 && stream.unsentBytes == 0)
        stream.writeThrough(many.span)
        #expect(stream.sentBytes > 5 && stream.sentBytes + Int64(stream.unsentBytes) == Int64(5 + many.count))
        #expect(stream.watchesWrites && stream.isSaturated)
        let reader = Scripted()
        var received = 0
        reader.onRead = { _, bytes in
            received += bytes.count
            return bytes.count
        }
        world.peer.delegate = reader
        world.manual.turn(until: { received == 5 + many.count })
        world.manual.turn()
        #expect(stream.sentBytes == Int64(5 + many.count) && stream.unsentBytes == 0 && !stream.watchesWrites)
        #expect(world.events.count == 1 && received == 5 + many.count)
    }
}
