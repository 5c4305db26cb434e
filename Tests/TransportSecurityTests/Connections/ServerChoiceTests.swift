import Testing

@testable import TransportSecurity

/// What servers answer to hellos that offer little (RFC 8446 §4.1, RFC 5246 §7.4.1).
@Suite("What a server chooses of a client's offer") struct ServerChoiceTests {
    enum Answer: Equatable {
        /// In TLS 1.2.
        case cipher(UInt16)
        /// The group whose key a client of TLS 1.3 shall send.
        case group(UInt16)
        case alert(UInt8)
    }

    private static func vector(_ size: Int, _ content: [UInt8]) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) } + content
    }

    private static func numbers(_ all: [UInt16]) -> [UInt8] {
        all.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    /// A hello with these ciphers and extensions.
    private static func hello(_ version: [UInt8], _ ciphers: [UInt16], _ extensions: [(UInt16, [UInt8])]) -> [UInt8] {
        var all: [UInt8] = []
        for (kind, content) in extensions { all += numbers([kind]) + vector(2, content) }
        var body = version + [UInt8](repeating: 7, count: 32)
        body += [0]
        body += vector(2, numbers(ciphers))
        body += [1, 0]
        body += vector(2, all)
        let message: [UInt8] = [1] + vector(3, body)
        return [22, 3, 1] + vector(2, message)
    }

    /// The groups that the client knows, and its one kind of signature: by ECDSA with P-256.
    private static func common(_ groups: [UInt16]) -> [(UInt16, [UInt8])] {
        [(10, vector(2, numbers(groups))), (13, vector(2, [4, 3]))]
    }

    private static func answer(to hello: [UInt8]) throws -> Answer? {
        let engine = try #require(try EngineTests.server().accept())
        engine.begin()
        #expect(EnginePair.give(hello, to: engine).isEmpty)
        let bytes = EnginePair.output(of: engine)
        if bytes.count == 7, bytes[0] == 21 { return .alert(bytes[6]) }
        // A record's head, a message's head, the version, 32 random bytes, and a session of its own length.
        guard bytes.count > 46, bytes[0] == 22, bytes[5] == 2 else { return nil }
        let record = bytes.dropFirst(5).prefix(Int(bytes[3]) << 8 | Int(bytes[4]))
        // The extension is that of a shared key (RFC 8446 §4.2.8).
        let end = record.suffix(6)
        if end.starts(with: [0, 0x33, 0, 2]) { return .group(number(end.suffix(2))) }
        return .cipher(number(bytes.dropFirst(44 + Int(bytes[43])).prefix(2)))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reduce(0) { $0 << 8 | UInt16($1) } }

    @Test(
        "of the ciphers of TLS 1.2 it accepts AES-GCM and ChaCha20, by its own order unless ChaCha20 comes first",
        arguments: [
            ([0xC02B], .cipher(0xC02B)), ([0xC02C], .cipher(0xC02C)), ([0xCCA9], .cipher(0xCCA9)),
            ([0xC009], .alert(40)), ([0xC023], .alert(40)), ([0xC009, 0xC02B], .cipher(0xC02B)),
            ([0xC02B, 0xC02C], .cipher(0xC02C)), ([0xCCA9, 0xC02B], .cipher(0xCCA9)),
            ([0xC02B, 0xCCA9], .cipher(0xC02B)),
        ] as [([UInt16], Answer)]
    )
    func ciphers(offered: [UInt16], expected: Answer) throws {
        #expect(try Self.answer(to: Self.hello([3, 3], offered, Self.common([0x17, 0x1D]))) == expected)
    }

    @Test("a client that knows TLS 1.1 at most is told so by an alert")
    func version() throws {
        #expect(try Self.answer(to: Self.hello([3, 2], [0xC02B], Self.common([0x17]))) == .alert(70))
    }

    @Test(
        "keys are agreed upon by X25519, P-256 or P-384, in this order, and by no other group",
        arguments: [
            ([0x1D], .group(0x1D)), ([0x17], .group(0x17)), ([0x18], .group(0x18)), ([0x19], .alert(40)),
            ([0x1E], .alert(40)), ([0x19, 0x18], .group(0x18)), ([0x18, 0x17], .group(0x17)),
            ([0x18, 0x17, 0x1D], .group(0x1D)),
        ] as [([UInt16], Answer)]
    )
    func groups(known: [UInt16], expected: Answer) throws {
        // It knows TLS 1.3, and has sent no key yet.
        let extensions = Self.common(known) + [(43, Self.vector(1, [3, 4])), (51, Self.vector(2, []))]
        #expect(try Self.answer(to: Self.hello([3, 3], [0x1301], extensions)) == expected)
    }
}
