import Glibc
import HTTPCore
import TestSupport
import Testing
import TransportSecurity

@testable import Eventing

@Suite("The beginning and the end of TLS on a stream")
struct SecureHandshakeTests {
    private static let cut = StreamError.security(TLSError(.handshakeCut))
    private static let late = StreamError.security(TLSError(.timeout))

    // MARK: The beginning

    /// What `engine` decrypts.
    private static func decrypt(_ bytes: [UInt8], by engine: TLSEngine) -> [UInt8] {
        var room = [UInt8](repeating: 0, count: bytes.count + engine.slack)
        var span = room.mutableSpan
        let count = engine.process(bytes.span, into: &span)
        return Array(room[..<count])
    }

    @Test("the last bytes of a client's handshake leave together with its first content")
    func firstContent() throws {
        // Given a socket where each packet is what one call has sent
        let manual = try ManualLoop()
        defer { withExtendedLifetime(manual) {} }
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        let far = pair[1]
        defer { close(far) }
        let site = try TestSite()
        let context = try TLSClientContext(site.clientSettings)
        let near = try #require(context.connect(to: Array("localhost".utf8), port: 443))
        let server = try #require(site.context.accept())
        let client = Stream(adopting: pair[0], loop: manual.loop)
        // When the client writes as soon as it may
        client.secure(by: near) { _ in client.append { $0 += [1, 2, 3] } }
        manual.turn()
        _ = Self.decrypt(SocketCalls.receive(upTo: 65_536, from: far), by: server)
        server.sendOutput { bytes in (try? SocketCalls.send(bytes, to: far).get()) ?? 0 }
        manual.turn()
        // Then one packet has both
        let content = Self.decrypt(SocketCalls.receive(upTo: 65_536, from: far), by: server)
        #expect(content == [1, 2, 3])
    }

    @Test("a handshake has its time; what was secured in time stays open after it")
    func limits() throws {
        let slow = try SecurePair()
        slow.client.secure(by: try slow.makeClientEngine(), within: .seconds(5), slow.note)
        slow.manual.advance(by: .milliseconds(4999))
        #expect(slow.ends.isEmpty && slow.client.isSecure)
        slow.manual.advance(by: .milliseconds(200))
        #expect(slow.ends == [Self.late] && !slow.client.isOpen)
        let endless = try SecurePair()
        endless.client.secure(by: try endless.makeClientEngine(), endless.note)
        let quick = try SecurePair()
        try quick.shakeHands(within: .seconds(5))
        for pair in [endless, quick] { pair.manual.advance(by: .seconds(600)) }
        #expect(endless.ends.isEmpty && quick.client.isOpen && quick.server.isOpen)
        endless.client.close()
    }

    @Test("TLS begins neither behind unsent bytes nor on a closed stream; the delegate learns that later")
    func refusals() throws {
        let pair = try SecurePair()
        pair.client.append { $0.append(1) }
        pair.server.close()
        pair.client.secure(by: try pair.makeClientEngine(), pair.note)
        pair.server.secure(by: try pair.makeServerEngine(), pair.note)
        #expect(pair.ends.isEmpty && !pair.client.isSecure && !pair.server.isSecure)
        pair.manual.turn()
        #expect(pair.ends == [Self.cut, Self.cut])
    }

    @Test("a peer that ends within the handshake has cut it, one that resets has reset it", arguments: [true, false])
    func cuts(isReset: Bool) throws {
        let pair = try SecurePair()
        pair.client.secure(by: try pair.makeClientEngine(), pair.note)
        pair.manual.turn()
        // Bytes that it has not read make the system tell of a reset.
        if isReset { pair.server.close() } else { pair.server.closeWrite() }
        pair.manual.turn(until: { !pair.ends.isEmpty })
        let told = isReset ? StreamError.reset : Self.cut
        #expect(pair.ends == [told] && !pair.client.isOpen)
    }

    @Test("a client that speaks plain HTTP can be answered so; other bytes close the stream")
    func plainClients() throws {
        for (text, isHTTP) in [("GET / HTTP/1.1\r\n\r\n", true), ("\u{1}", false)] {
            let pair = try SecurePair()
            let reader = Scripted()
            var got: [UInt8] = []
            reader.onRead = { _, bytes in
                got += bytes
                return bytes.count
            }
            pair.client.delegate = reader
            pair.server.secure(by: try pair.makeServerEngine(), pair.note)
            pair.client.append { $0 += Array(text.utf8) }
            pair.manual.turn(until: { !pair.ends.isEmpty })
            let told = StreamError.security(TLSError(.notTLS(isHTTP: isHTTP)))
            #expect(pair.ends == [told] && pair.server.isOpen == isHTTP)
            guard isHTTP else { continue }
            #expect(!pair.server.isSecure && pair.server.unreadBytes == 0)
            pair.server.append { $0.append(9) }
            pair.manual.turn(until: { !got.isEmpty })
            #expect(got == [9])
        }
    }

    @Test("a server that speaks plain HTTP closes its client's stream")
    func plainServer() throws {
        let pair = try SecurePair()
        pair.client.secure(by: try pair.makeClientEngine(), pair.note)
        pair.server.append { $0 += Array("HTTP/1.1 400 \r\n\r\n".utf8) }
        pair.manual.turn(until: { !pair.ends.isEmpty })
        let told = StreamError.security(TLSError(.notTLS(isHTTP: true)))
        #expect(pair.ends == [told] && !pair.client.isOpen)
    }

    @Test("both ends report what was agreed; a stream without TLS reports nothing")
    func facts() throws {
        let pair = try SecurePair()
        #expect(!pair.client.isSecure && pair.client.securityFacts == nil && pair.client.selectedProtocol == nil)
        try pair.shakeHands()
        let (near, far) = (try #require(pair.client.securityFacts), try #require(pair.server.securityFacts))
        #expect(pair.client.isSecure && pair.server.isSecure)
        #expect(near.version == far.version && near.cipher == far.cipher && near.subject != far.subject)
    }

    // MARK: Content

    @Test("TLS inside TLS carries content, and its end")
    func nested() throws {
        let pair = try SecurePair()
        try pair.shakeHands()
        pair.settle()
        try pair.shakeHands()
        var got: [UInt8]?
        pair.server.delegate = Scripted.collecting { got = $0 }
        pair.client.append { $0 += [1, 2] }
        pair.client.closeWrite()
        pair.manual.turn(until: { got != nil })
        #expect(got == [1, 2])
    }

    @Test("under TLS, too, more may be left unread than one read brings")
    func leftover() throws {
        let pair = try SecurePair()
        try pair.shakeHands()
        pair.settle()
        let total = 3 * ReadBuffer.capacity
        let server = Scripted()
        server.onRead = { stream, bytes in
            guard bytes.count == total else { return 0 }
            stream.append { $0.append(9) }
            return total
        }
        pair.server.delegate = server
        let client = Scripted()
        var answer: [UInt8] = []
        client.onRead = { _, bytes in
            answer += bytes
            return bytes.count
        }
        pair.client.delegate = client
        pair.client.write(ByteChunk([UInt8](repeating: 1, count: total)))
        pair.manual.turn(until: { !answer.isEmpty })
        #expect(answer == [9] && pair.server.unreadBytes == 0)
    }

    // MARK: The end

    enum Ending: CaseIterable { case close, closeBeforeSending, abort }

    @Test(
        "close sends close_notify unless bytes are unsent; abort never does (RFC 8446 §6.1)",
        arguments: Ending.allCases
    )
    func endings(ending: Ending) throws {
        let pair = try SecurePair()
        try pair.shakeHands()
        pair.settle()
        let server = Scripted()
        var ends: [StreamError?] = []
        var count = 0
        server.onRead = { _, bytes in
            count += bytes.count
            return bytes.count
        }
        server.onEnd = { _ in ends.append(nil) }
        server.onFail = { _, error in ends.append(error) }
        pair.server.delegate = server
        let written = ending == .closeBeforeSending ? 8 << 20 : 1
        pair.client.write(ByteChunk([UInt8](repeating: 1, count: written)))
        pair.client.flush()
        if ending == .abort { pair.client.abort() } else { pair.client.close() }
        pair.manual.turn(until: { !ends.isEmpty })
        let told: StreamError? = ending == .close ? nil : .security(TLSError(.contentCut))
        #expect(ends == [told])
        #expect((count == written) == (ending != .closeBeforeSending))
    }
}
