import Testing

@testable import Formats

/// Single characters in UTF-8, judged by Swift's own decoder.
@Suite("Characters in UTF-8 (RFC 3629)") struct UTF8Tests {
    private static func length(_ bytes: [UInt8]) -> Int { UTF8Scalar.length(at: bytes[...]) }

    /// Code points around the limits of what one, two, three and four bytes can encode, and some between them.
    private static let points: [UInt32] = [
        0, 1, 0x1F, 0x20, 0x3F, 0x40, 0x7E, 0x7F, 0x80, 0x81, 0xBF, 0xC0, 0x155, 0x7BF, 0x7C0, 0x7FE, 0x7FF, 0x800,
        0x801, 0xFFF, 0x1000, 0x5555, 0xD7FF, 0xE000, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_0001, 0x2_AAAA, 0x3_FFFF, 0x4_0000,
        0xF_FFFF, 0x10_0000, 0x10_FFFE, 0x10_FFFF,
    ]

    @Test("a code point comes back from its bytes, which are those that Swift writes")
    func roundTrip() throws {
        for point in Self.points {
            let character = Character(try #require(Unicode.Scalar(point)))
            var bytes: [UInt8] = []
            UTF8Scalar.append(point, to: &bytes)
            #expect(bytes == Array(String(character).utf8))
            #expect(Self.length(bytes) == bytes.count && UTF8Scalar.value(of: bytes[...]) == point)
            // What follows does not count, and a part is none.
            #expect(Self.length(bytes + [0x80]) == bytes.count)
            #expect(Self.length(Array(bytes.dropLast())) == 0)
        }
        #expect(UTF8Scalar.value(of: []) == 0)
    }

    @Test("a surrogate becomes three bytes in the same pattern, which are no character")
    func surrogate() {
        for (point, expected) in [(0xD800, [0xED, 0xA0, 0x80]), (0xDFFF, [0xED, 0xBF, 0xBF])] as [(UInt32, [UInt8])] {
            var bytes: [UInt8] = [1]
            UTF8Scalar.append(point, to: &bytes)
            #expect(bytes == [1] + expected && Self.length(expected) == 0)
        }
    }

    @Test("bytes are a character if they are one for Swift: no overlong form, no surrogate, nothing above U+10FFFF")
    func sequences() {
        func check(_ bytes: [UInt8]) {
            let expected = (1...bytes.count).first { count in
                String(validating: bytes.prefix(count), as: UTF8.self)?.unicodeScalars.count == 1
            }
            if Self.length(bytes) != expected ?? 0 { Issue.record("\(bytes): \(Self.length(bytes))") }
        }
        let edges: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        for first in UInt8(0x7F)...0xFF {
            check([first])
            for second in edges {
                check([first, second])
                for third in edges {
                    check([first, second, third])
                    if first >= 0xEF { for fourth in edges { check([first, second, third, fourth]) } }
                }
            }
        }
    }

    @Test("what ends lines, moves a cursor or turns the direction of text is disruptive (H-159)")
    func disruptive() throws {
        var found: [ClosedRange<UInt32>] = []
        for point in (0 as UInt32)..<0x1_1000 {
            guard let scalar = Unicode.Scalar(point) else { continue }
            guard UTF8Scalar.isDisruptive(Array(String(scalar).utf8)[...]) else { continue }
            if let last = found.last, last.upperBound + 1 == point {
                found[found.count - 1] = last.lowerBound...point
            } else {
                found.append(point...point)
            }
        }
        let expected: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF...0xFEFF,
        ]
        #expect(found == expected)
    }

    @Test("text of UTF-8 is copied, and the first byte that is none is told, however the text is cut")
    func decoder() throws {
        let text = Array("aé€𝄞z".utf8)
        for size in 1...text.count {
            for room in [1, 2, 100] {
                #expect(try Self.decoded(text, size, room) == text)
                for (bad, position) in [([0xFF], 11), ([0xE2, 0x28], 11), ([0xE2, 0x82], 11), ([0x80], 11)]
                    as [([UInt8], Int)]
                {
                    #expect(throws: UndecodableByte(position: position)) { try Self.decoded(text + bad, size, room) }
                }
            }
        }
    }

    @Test("a step takes no more than its room, and at least a byte", arguments: [(0, 1), (1, 1), (3, 3), (9, 5)])
    func room(room: Int, taken: Int) throws {
        let decoders: [any TextDecoder] = [UTF8Decoder(mayFallBack: false), Windows1252Decoder()]
        for decoder in decoders {
            let bytes = Array("abcde".utf8)
            var (position, output) = (0, [UInt8]())
            try decoder.decode(bytes.span, from: &position, into: &output, room: room)
            #expect(position == taken && output == Array(bytes.prefix(taken)))
        }
    }

    private static func decoded(_ bytes: [UInt8], _ size: Int, _ room: Int) throws(UndecodableByte) -> [UInt8] {
        let decoder = UTF8Decoder(mayFallBack: false)
        var (output, start) = ([UInt8](), 0)
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + size)])
            var position = 0
            while position < piece.count { try decoder.decode(piece.span, from: &position, into: &output, room: room) }
            start += piece.count
        }
        try decoder.finish(into: &output)
        return output
    }
}
