import Transforms
import Testing

@testable import Transformers

/// Classes of characters, and code points of texts.
@Suite("Character classes") struct CharacterClassTests {
    @Test(
        "a class has the characters of all its ranges, in any order, overlapping or not",
        arguments: ["a-c", "x-za-c", "a-zb-c", "b-ca-z", "a-cc-e", "aceg-imoqsu", "usqomg-ieca", "b-dc-fe-hk", "zyxa"]
    )
    func ranges(text: String) throws {
        var expected: Set<Character> = []
        var rest = Array(text)[...]
        while let first = rest.popFirst() {
            if rest.first == "-" {
                rest = rest.dropFirst()
                guard let last = rest.popFirst(), let low = first.asciiValue, let high = last.asciiValue else { break }
                for byte in low...high { expected.insert(Character(Unicode.Scalar(byte))) }
            } else {
                expected.insert(first)
            }
        }
        let (inside, outside) = (try IRegexp(Array("[\(text)]".utf8)), try IRegexp(Array("[^\(text)]".utf8)))
        for byte in UInt8(ascii: "`")...UInt8(ascii: "{") {
            let isIn = expected.contains(Character(Unicode.Scalar(byte)))
            var meter = WorkMeter(TransformBudget())
            let found = try inside.matches([byte], isWhole: true, meter: &meter)
            let foundOutside = try outside.matches([byte], isWhole: true, meter: &meter)
            #expect(found == isIn && foundOutside == !isIn, "\(byte)")
        }
    }

    @Test("code points are read one by one, a surrogate in three bytes as one")
    func codePoints() {
        let points: [UInt32] = [
            0, 0x61, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x1_0000, 0x3_FFFF, 0x4_0000,
            0x10_FFFF,
        ]
        let bytes: [UInt8] =
            [0, 0x61, 0x7F, 0xC2, 0x80, 0xDF, 0xBF, 0xE0, 0xA0, 0x80, 0xED, 0x9F, 0xBF, 0xED, 0xA0, 0x80]
            + [0xED, 0xBF, 0xBF, 0xEE, 0x80, 0x80, 0xEF, 0xBF, 0xBF, 0xF0, 0x90, 0x80, 0x80, 0xF0, 0xBF, 0xBF, 0xBF]
            + [0xF1, 0x80, 0x80, 0x80, 0xF4, 0x8F, 0xBF, 0xBF]
        var (found, at) = ([UInt32](), 0)
        while let point = CodePoints.next(bytes, &at) { found.append(point) }
        #expect(found == points && at == bytes.count && CodePoints.count(bytes) == points.count)
        // A character that is cut off is read as far as it goes.
        at = 0
        let cut = CodePoints.next([0xE2, 0x82], &at)
        #expect(cut != nil && at == 2)
        let end = CodePoints.next([0xE2, 0x82], &at)
        #expect(end == nil)
    }
}
