import Testing

@testable import HTTPCore

@Suite("Classes of bytes")
struct ByteClassTests {
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let digits = "0123456789"

    @Test("a byte is in a class if the grammar lists it (RFC 9110 §5.6.2, RFC 3986 §3.2.2)")
    func members() {
        let classes: [(ByteClass, String)] = [
            (.token, Self.letters + Self.digits + "!#$%&'*+-.^_`|~"), (.digit, Self.digits),
            (.host, Self.letters + Self.digits + "-._~!$&'()*+;="),
        ]
        for (number, (bytes, expected)) in classes.enumerated() {
            let found = (0...255 as ClosedRange<UInt8>).filter { bytes.contains($0) }
            #expect(found == expected.utf8.sorted(), "\(number)")
        }
    }

    @Test("digits, blanks and hexadecimal digits are told from their neighbours")
    func kinds() {
        for byte in 0...255 as ClosedRange<UInt8> {
            let scalar = Character(UnicodeScalar(byte))
            #expect(byte.isDigit == Self.digits.contains(scalar))
            #expect(byte.isBlank == (byte == 0x20 || byte == 0x09))
            let value = byte < 0x80 ? scalar.hexDigitValue.map { UInt8($0) } : nil
            #expect(byte.hexDigit == value && Hexadecimal.value(byte) == value)
            #expect(byte.asciiLowercased == (0x41...0x5A ~= byte ? byte + 32 : byte))
        }
        #expect(text((0...15 as ClosedRange<UInt8>).map { Hexadecimal.digit($0) }) == "0123456789abcdef")
        #expect(text((0...15 as ClosedRange<UInt8>).map { Hexadecimal.capital($0) }) == "0123456789ABCDEF")
    }

    @Test("blanks at both ends of a range are no part of what is trimmed")
    func trimmed() {
        let bytes = latin(" \ta b\t ")
        func trimmed(_ range: Range<Int>) -> Range<Int> { bytes.span.trimmed(range) }
        #expect(trimmed(0..<7) == 2..<5 && trimmed(1..<4) == 2..<3)
        #expect(trimmed(0..<2) == 2..<2 && trimmed(3..<3) == 3..<3)
    }

    @Test("a word marks each byte that is meant, whatever stands beside it")
    func words() {
        func bytes(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
        var wrong: [String] = []
        for other in [0x00, 0x20, 0x41, 0x7F, 0x80, 0xFF] as [UInt8] {
            for byte in 0...255 as ClosedRange<UInt8> {
                let lane = Int(byte) % 8
                var lanes = [UInt8](repeating: other, count: 8)
                lanes[lane] = byte
                let word = lanes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                // Marks of equal bytes are exact up to the first one, which is what callers use.
                let first = Marks.equal(word, byte).trailingZeroBitCount / 8
                let controls: [UInt8] = lanes.map { $0 < 0x20 || $0 == 0x7F ? 0x80 : 0 }
                let invisible: [UInt8] = lanes.map { $0 <= 0x20 || $0 >= 0x7F ? 0x80 : 0 }
                var isRight = bytes(Marks.lowercased(word)) == lanes.map(\.asciiLowercased)
                if bytes(Marks.controls(word)) != controls { isRight = false }
                if bytes(Marks.invisible(word)) != invisible { isRight = false }
                if !isRight || first != (byte == other ? 0 : lane) { wrong.append("\(byte) beside \(other)") }
            }
        }
        #expect(wrong.isEmpty)
    }

    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.span.hasSameBytes(as: other.span) }
    private static func matches(_ one: [UInt8], _ other: [UInt8]) -> Bool { Token.matches(one.span, other.span) }
    private static func matches(_ one: [UInt8], _ name: StaticString) -> Bool { Token.matches(one.span, name) }
    private static func hash(_ bytes: [UInt8], seed: UInt64 = 1) -> UInt64 { bytes.span.hash(seeds: seed, 2) }

    @Test("equal bytes are found equal at every length, and one other byte makes them differ")
    func equality() {
        for count in 0..<26 {
            let one = (0..<count).map { UInt8(0x41 + $0) }
            #expect(Self.isSame(one, one) && Self.matches(one, one.map(\.asciiLowercased)))
            for index in 0..<count {
                var other = one
                other[index] ^= 0x80
                #expect(!Self.isSame(one, other) && !Self.matches(one, other) && Self.hash(one) != Self.hash(other))
            }
            let longer = one + [0]
            #expect(!Self.isSame(one, longer) && !Self.matches(one, longer) && Self.hash(one) != Self.hash(longer))
            #expect(Self.hash(one) == Self.hash(Array(one)) && Self.hash(one) != Self.hash(one, seed: 2))
        }
    }

    @Test("a name is compared without case, at every length, with all of its bytes")
    func names() {
        let all: [StaticString] = [
            "a", "te", "via", "host", "close", "upgrade", "http://h", "range-not", "connection", "keep-alive-value",
        ]
        for name in all {
            let bytes = Array("\(name)".utf8)
            let capital = bytes.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }
            #expect(Self.matches(bytes, name) && Self.matches(capital, name))
            #expect(!Self.matches(bytes + [0x61], name) && !Self.matches(Array(bytes.dropLast()), name))
            for index in bytes.indices {
                var other = capital
                other[index] ^= 0x01
                #expect(!Self.matches(other, name), "\(name) \(index)")
            }
        }
        #expect(Self.matches([], ""))
    }

    @Test("numbers are written with all of their digits")
    func decimals() {
        var numbers: [UInt64] = [0, .max, .max - 1]
        for exponent in 0..<20 {
            let power = (0..<exponent).reduce(UInt64(1)) { product, _ in product * 10 }
            numbers += [power - 1, power, power + 1]
        }
        for number in numbers {
            var (one, other): ([UInt8], [UInt8]) = ([], [])
            ByteScan.append(decimal: number, to: &one)
            other.append(addingCapacity: 20) { target in target.append(decimal: number) }
            #expect(text(one) == "\(number)" && other == one)
        }
    }
}
