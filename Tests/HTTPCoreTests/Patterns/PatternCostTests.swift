import Glibc
import TestSupport
import Testing

@testable import HTTPCore

/// What matching a pattern gives and costs, whatever its wildcards are.
@Suite("Patterns: results and cost")
struct PatternCostTests {
    private static func pieces(_ text: [UInt8]) -> [BytePattern.Piece] {
        BytePattern.pieces(text[...], delimiter: 0x2F) { bytes, index in
            defer { index += 1 }
            return bytes[index] == 0x3F ? [] : [bytes[index]]
        }
    }

    /// The same by trying everything.
    private static func matches(_ pieces: ArraySlice<BytePattern.Piece>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let piece = pieces.first else { return text.isEmpty }
        let rest = pieces.dropFirst()
        switch piece {
        case .byte(let byte): return text.first == byte && matches(rest, text.dropFirst())
        case .one: return text.first.map { $0 != 0x2F } ?? false && matches(rest, text.dropFirst())
        case .withinPart:
            let part = text.prefix { $0 != 0x2F }
            return (part.startIndex...part.endIndex).contains { matches(rest, text[$0...]) }
        case .anything: return (text.startIndex...text.endIndex).contains { matches(rest, text[$0...]) }
        case .parts(let delimiter):
            return matches(rest, text)
                || text.indices.contains { text[$0] == delimiter && matches(rest, text[($0 + 1)...]) }
        }
    }

    @Test("random patterns match what trying every way of reading them matches")
    func results() {
        var generator = FixedRandom(seed: 19)
        var matched = 0
        for round in 0..<4000 {
            // Some behind a long start, so that places lie in several words.
            let start: [BytePattern.Piece] =
                round.isMultiple(of: 4) ? [.anything] + (0..<59).map { _ in .byte(0x62) } : []
            let count = Int.random(in: 0...7, using: &generator)
            let kinds: [BytePattern.Piece] = [
                .byte(0x61), .byte(0x2F), .byte(0x62), .one, .withinPart, .anything, .parts(0x2F),
            ]
            let pieces = start + (0..<count).map { _ in kinds.randomElement(using: &generator) ?? .one }
            let pattern = BytePattern(pieces, delimiters: [0x2F])
            for _ in 0..<10 {
                let length = Int.random(in: 0...7, using: &generator)
                let tail = (0..<length).map { _ -> UInt8 in [0x61, 0x2F, 0x62].randomElement(using: &generator) ?? 0 }
                let text = start.isEmpty ? tail : [UInt8](repeating: 0x62, count: 59) + tail
                let expected = Self.matches(pieces[...], text[...])
                matched += expected ? 1 : 0
                #expect(pattern.matches(text) == expected, "\(pieces) \(text)")
            }
        }
        #expect(matched > 4000)
    }

    @Test("a text that matches whole may go on only where a wildcard ends the pattern, however long that is")
    func continuing() {
        for count in [1, 2, 62, 63, 64, 65, 126, 127, 128, 129] {
            let pieces: [BytePattern.Piece] = [.one] + (1..<count).map { _ in .byte(0x61) }
            let closed = BytePattern(pieces, delimiters: [0x2F])
            let open = BytePattern(pieces + [.anything], delimiters: [0x2F])
            for length in 0...count + 1 {
                let text = [UInt8](repeating: 0x61, count: length)
                #expect(closed.matches(text) == (length == count), "\(length) of \(count)")
                #expect(closed.mayContinue(after: text) == (length < count), "\(length) of \(count)")
                #expect(open.matches(text) == (length >= count), "\(length) of \(count)")
                #expect(open.mayContinue(after: text), "\(length) of \(count)")
            }
        }
    }

    @Test(
        "240 wildcards cost a loop no more for each byte than a few: a match is bounded by the text's length",
        arguments: ["*a", "**/", "**a", "*a**/"]
    )
    func cost(part: String) {
        let text = [UInt8](repeating: 0x61, count: 16_000) + [0x62]
        let slashes = [UInt8](repeating: 0x2F, count: 16_000) + [0x62]
        let few = BytePattern(Self.pieces(Array((String(repeating: part, count: 20) + "c").utf8)), delimiters: [0x2F])
        let many = BytePattern(
            Self.pieces(Array((String(repeating: part, count: 240) + "c").utf8)),
            delimiters: [0x2F]
        )
        func work(_ pattern: BytePattern) -> Int {
            // The least of three: other work of the machine only adds.
            (0..<3).map { _ in
                let start = Self.threadTime()
                #expect(!pattern.matches(text) && !pattern.matches(slashes))
                return Self.threadTime() - start
            }.min() ?? 0
        }
        // Twelve times the pieces are at most 19 words in place of one or two.
        #expect(work(many) < 25 * work(few))
        // The matcher before this one took 3 s and more, in this build.
        #expect(work(many) < 1_000_000)
    }

    /// Microseconds this thread has worked for.
    private static func threadTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
