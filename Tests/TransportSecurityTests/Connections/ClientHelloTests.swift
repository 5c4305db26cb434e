import Testing
import TransportSecurity

@Suite("A client's hello, read before anything is answered")
struct ClientHelloTests {
    static func hello(_ host: String = "a.example", protocols: [String] = ["http/1.1"]) throws -> [UInt8] {
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.protocols = protocols
        let engine = try #require(try TLSClientContext(settings).connect(to: Array(host.utf8), port: 443))
        engine.begin()
        return EnginePair.output(of: engine)
    }

    /// What bytes are; lent within one function.
    static func read(_ bytes: [UInt8]) -> ClientHello.Reading {
        let span = bytes.span
        return ClientHello.read(span)
    }

    /// The same handshake in records of `size` bytes.
    static func cut(_ bytes: [UInt8], into size: Int) -> [UInt8] {
        var rest = bytes.dropFirst(5)
        var records: [UInt8] = []
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            records += [22, 3, 1, UInt8(piece.count >> 8), UInt8(piece.count & 0xFF)] + piece
            rest = rest.dropFirst(size)
        }
        return records
    }

    @Test("it tells host and protocols, whatever its records", arguments: [1, 3, 100, 16_000])
    func reading(size: Int) throws {
        let bytes = Self.cut(try Self.hello(protocols: ["h2", "http/1.1"]), into: size)
        let wanted = ClientHello(
            serverName: Array("a.example".utf8),
            protocols: [Array("h2".utf8), Array("http/1.1".utf8)]
        )
        #expect(Self.read(bytes) == .hello(wanted))
        #expect(wanted.offersHTTP1)
        // What stands behind it is not looked at.
        #expect(Self.read(bytes + [23, 3, 3, 0, 1, 9]) == .hello(wanted))
    }

    @Test("every part of it wants more, from the first byte on")
    func parts() throws {
        let bytes = try Self.hello()
        for count in 0..<bytes.count {
            guard case .incomplete(let needs) = Self.read(Array(bytes.prefix(count))) else {
                Issue.record("\(count)")
                return
            }
            #expect(needs > count && needs <= bytes.count)
        }
    }

    @Test("it is gone through few times, however small the pieces it comes in", arguments: [1, 100, 16_000])
    func effort(size: Int) throws {
        let bytes = Self.cut(try Self.hello(), into: size)
        var (needs, readings) = (0, 0)
        for count in 1...bytes.count where count >= needs {
            readings += 1
            if case .incomplete(let more) = Self.read(Array(bytes.prefix(count))) { needs = more }
        }
        #expect(readings < 50, "\(readings)")
    }

    @Test("no name is told for an address, and protocols without HTTP/1.1 are told apart")
    func absent() throws {
        func known(_ bytes: [UInt8]) -> ClientHello? {
            if case .hello(let hello) = Self.read(bytes) { hello } else { nil }
        }
        let address = try #require(known(try Self.hello("127.0.0.1")))
        #expect(address.serverName == nil && address.offersHTTP1)
        #expect(known(try Self.hello(protocols: ["h2"]))?.offersHTTP1 == false)
        let none = try #require(known(try Self.hello(protocols: [])))
        #expect(none.protocols == nil && none.offersHTTP1)
    }

    @Test(
        "what is no TLS is told at once",
        arguments: ["GET / HTTP/1.1\r\n", "SSH-2.0-OpenSSH\r\n", "\u{0}", "\u{16}\u{2}", "PRI * HTTP/2.0"]
    )
    func notTLS(text: String) { #expect(Self.read(Array(text.utf8)) == .notTLS) }

    @Test("what begins like TLS and is no hello is malformed")
    func malformed() throws {
        let bytes = try Self.hello()
        var kind = bytes
        kind[5] = 2
        #expect(Self.read(kind) == .malformed)
        // The first record says that the hello is 16 MiB long.
        #expect(Self.read([22, 3, 1, 0, 4, 1, 255, 255, 255]) == .malformed)
        #expect(Self.read([22, 3, 1, 0, 0]) == .malformed)
        #expect(Self.read([22, 3, 1, 64, 1]) == .malformed)
        #expect(Self.read([22, 3, 1, 0, 1, 1, 21, 3, 1]) == .malformed)
        let endless =
            [UInt8]([22, 3, 1, 0, 4, 1, 0, 0x30, 0])
            + Self.cut([0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 12_000), into: 1)
        #expect(Self.read(Array(endless.prefix(16_383))) == .incomplete(needs: 16_384))
        #expect(Self.read(Array(endless.prefix(16_384))) == .malformed)
        // One that is too long is not waited for.
        #expect(Self.read([22, 3, 1, 0, 4, 1, 0, 0x40, 1]) == .malformed)
    }

    @Test("garbage of any kind is an outcome")
    func garbage() throws {
        let bytes = try Self.hello()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: 5..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = Self.read(changed)
        }
    }
}
