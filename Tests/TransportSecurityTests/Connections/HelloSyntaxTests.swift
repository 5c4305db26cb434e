import Testing
import TransportSecurity

/// Hellos byte by byte (RFC 8446 §4.1.2).
@Suite("The syntax of a client's hello") struct HelloSyntaxTests {
    private static func vector(_ size: Int, _ content: [UInt8]) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) } + content
    }

    private static let start: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [1, 9]
    private static let ciphers = vector(2, [0x13, 0x01])

    private static func record(_ message: [UInt8]) -> [UInt8] { [22, 3, 1] + vector(2, message) }

    private static func read(_ bytes: [UInt8]) -> ClientHello.Reading {
        let span = bytes.span
        return ClientHello.read(span)
    }

    /// The reading of a hello with this after its ciphers and its compression methods.
    private static func reading(_ rest: [UInt8], ciphers list: [UInt8] = Self.ciphers) -> ClientHello.Reading {
        let body: [UInt8] = start + list + [1, 0] + rest
        return read(record([1] + vector(3, body)))
    }

    private static func reading(extensions: [(UInt16, [UInt8])]) -> ClientHello.Reading {
        var all: [UInt8] = []
        for (kind, content) in extensions {
            all += [UInt8(kind >> 8), UInt8(kind & 0xFF)]
            all += vector(2, content)
        }
        return reading(vector(2, all))
    }

    private static func name(_ text: String, kind: UInt8 = 0) -> [UInt8] {
        vector(2, [kind] + vector(2, Array(text.utf8)))
    }

    private static func protocols(_ names: [String]) -> [UInt8] {
        vector(2, names.flatMap { vector(1, Array($0.utf8)) })
    }

    @Test("without extensions it tells nothing; unknown ones are passed over")
    func extensions() {
        #expect(Self.reading([]) == .hello(ClientHello()) && Self.reading([0, 0]) == .hello(ClientHello()))
        let all: [(UInt16, [UInt8])] = [
            (15, [1, 2, 3]), (0, Self.name("a.example")), (17, []), (1, [0, 0]), (16, Self.protocols(["h2"])),
            (0x1000, [0]),
        ]
        let expected = ClientHello(serverName: Array("a.example".utf8), protocols: [Array("h2".utf8)])
        #expect(Self.reading(extensions: all) == .hello(expected) && !expected.offersHTTP1)
        #expect(
            Self.reading(extensions: [(16, Self.protocols(["h2", "http/1.1"]))])
                == .hello(ClientHello(protocols: [Array("h2".utf8), Array("http/1.1".utf8)]))
        )
    }

    @Test("what is cut, or longer than it says, is malformed")
    func malformed() {
        #expect(Self.reading([], ciphers: [0, 0]) == .malformed)
        #expect(Self.reading([0]) == .malformed && Self.reading([0, 0, 0]) == .malformed)
        #expect(Self.reading([0, 1]) == .malformed && Self.reading([0, 3, 0, 15, 0]) == .malformed)
        for (kind, content) in [
            (0, []), (0, [0, 0]), (0, Self.name("")), (0, Self.name("a", kind: 1)), (0, [0, 4, 0, 0, 9, 1]), (16, []),
            (16, [0, 0]), (16, [0, 1, 0]), (16, [0, 2, 2, 0x61]), (16, Self.protocols(["h2", ""])),
        ] as [(UInt16, [UInt8])] {
            #expect(Self.reading(extensions: [(kind, content)]) == .malformed, "\(kind) \(content)")
        }
        let whole = Self.start + Self.ciphers + [1, 0]
        for count in 0..<whole.count {
            #expect(Self.read(Self.record([1] + Self.vector(3, Array(whole.prefix(count))))) == .malformed, "\(count)")
        }
        #expect(Self.read(Self.record([1] + Self.vector(3, whole))) == .hello(ClientHello()))
    }

    @Test(
        "a part says how many bytes it needs: the two heads, then the message",
        arguments: [
            ([], 1), ([22], 9), ([22, 3], 9), ([22, 3, 1, 0], 9), ([22, 3, 1, 0, 60], 9), ([22, 3, 1, 0, 60, 1], 9),
            ([22, 3, 1, 0, 60, 1, 0, 0], 9), ([22, 3, 1, 0, 60, 1, 0, 0, 56], 65),
            ([22, 3, 1, 0, 60, 1, 0, 0, 56, 3], 65), ([22, 3, 1, 0, 2, 1, 0], 9), ([22, 3, 1, 0, 2, 1, 0, 22], 10),
            ([22, 3, 1, 0x40, 0], 9), ([22, 3, 1, 0, 4, 1, 0, 0x40, 0], 16_384), ([22, 3, 1, 0, 4, 1, 0, 1, 2], 267),
        ] as [([UInt8], Int)]
    )
    func needs(bytes: [UInt8], count: Int) {
        #expect(Self.read(bytes) == .incomplete(needs: count))
    }

    @Test("records behind the hello are not looked at, even where they are none")
    func behind() {
        let hello = Self.record([1] + Self.vector(3, Self.start + Self.ciphers + [1, 0]))
        #expect(Self.read(hello + [9, 9, 9, 9, 9, 9]) == .hello(ClientHello()))
        #expect(Self.read(Self.record([1]) + Self.record(Array(hello.dropFirst(6)))) == .hello(ClientHello()))
        #expect(Self.read(Self.record([1]) + [23, 3, 1, 0, 1, 0]) == .malformed)
        #expect(Self.read(Self.record([1]) + [22, 2, 1, 0, 1, 0]) == .malformed)
    }
}
