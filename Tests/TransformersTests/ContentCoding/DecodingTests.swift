import HTTPCore
import TestSupport
import Testing

@testable import Transforms
@testable import Transformers

@Suite("Decoding")
struct DecodingTests {
    private func decode(_ content: [UInt8], _ codings: String, _ run: Run = Run()) throws(TransformFailure) -> [UInt8] {
        var run = run
        var response = head(("Content-Encoding", codings), ("Content-Length", "\(content.count)"), ("X-A", "b"))
        let result = try run.transform(DecodeTransformer(), &response, content)
        #expect(response == head(("X-A", "b")))
        return result ?? content
    }

    private func failure(_ content: [UInt8], _ codings: String, _ run: Run = Run()) -> TransformFailure? {
        do throws(TransformFailure) { _ = try decode(content, codings, run) } catch { return error }
        return nil
    }

    @Test("each coding is removed, and so is its field", arguments: ContentCoding.allCases)
    func simple(coding: ContentCoding) throws {
        let content = prose(300_000)
        #expect(try decode(encoded(content, coding), coding.rawValue) == content)
        #expect(try decode(encoded([], coding), coding.rawValue) == [])
    }

    @Test("x-gzip means gzip, case does not matter, identity is no coding (RFC 9110 §8.4.1.3)")
    func names() throws {
        let content = prose(1_000)
        #expect(try decode(encoded(content, .gzip), "X-GZip") == content)
        #expect(try decode(encoded(content, .gzip), "identity, GZIP") == content)
        var run = Run()
        var response = head(("Content-Encoding", "identity"), ("Content-Length", "1000"))
        #expect(try run.transform(DecodeTransformer(), &response, content) == nil)
        #expect(response == head(("Content-Length", "1000")))
    }

    @Test("content may be split at every byte, and be read one byte at a time", arguments: ContentCoding.allCases)
    func everyCut(coding: ContentCoding) throws {
        let content = prose(400)
        let coded = try encoded(content, coding)
        #expect(try decode(coded, coding.rawValue, Run(piece: 1)) == content)
        #expect(try decode(coded, coding.rawValue, Run(piece: 1, room: 1)) == content)
        #expect(try decode(coded, coding.rawValue, Run(piece: 3, room: 7)) == content)
        for cut in 1..<coded.count { #expect(try decode(coded, coding.rawValue, Run(piece: cut)) == content) }
    }

    @Test("content that ends early is invalid, wherever it ends", arguments: ContentCoding.allCases)
    func truncated(coding: ContentCoding) throws {
        let coded = try encoded(prose(300), coding)
        for end in 1..<coded.count {
            let failure = failure(Array(coded[..<end]), coding.rawValue)
            #expect(failure?.reason == .invalidContent, "after \(end) of \(coded.count)")
        }
    }

    @Test("what is invalid is told with its coding and its place", arguments: ContentCoding.allCases)
    func messages(coding: ContentCoding) throws {
        let (name, coded) = (coding.rawValue, try encoded(prose(300), coding))
        let half = coded.count / 2
        #expect(
            failure(Array(coded[..<half]), name)?.userMessage
                == "the content is not valid `\(name)`: it ends early, at or before byte \(half) of it"
        )
        guard coding == .br || coding == .deflate else { return }
        #expect(
            failure(coded + [0], name)?.userMessage
                == "the content is not valid `\(name)`: bytes follow its end, at or before byte \(coded.count) of it"
        )
    }

    @Test("the one byte of `deflate` that does not show its format is counted once")
    func firstByte() {
        // In it a block begins of a kind that there is not (RFC 1951 §3.2.3).
        #expect(
            failure([0x07, 0x00], "deflate", Run(piece: 1))?.userMessage.hasSuffix(", at or before byte 1 of it")
                == true
        )
        #expect(
            failure([0x78], "deflate")?.userMessage
                == "the content is not valid `deflate`: it ends early, at or before byte 1 of it"
        )
    }

    @Test("a limit is told with its number and its setting (H-131)")
    func limits() throws {
        #expect(
            failure(hex("28B52FFD 00 70 090000 61"), "zstd")?.userMessage
                == "the content coded with `zstd` needs a window of more than 8 MiB"
        )
        #expect(
            failure([0x61], "gzip, br, gzip")?.userMessage
                == "3 content codings are nested, more than 2; see `content-codings`"
        )
        let bomb = try encoded([UInt8](repeating: 0, count: 3 << 20), .gzip)
        #expect(
            failure(bomb, "gzip")?.userMessage
                == "more than 100 bytes are decoded from each coded one; see `decoded-ratio`"
        )
        var run = Run()
        run.limits.decodedContent = 5
        #expect(
            failure(try encoded(prose(300), .gzip), "gzip", run)?.userMessage
                == "the decoded content is larger than 5 bytes; see `decoded-size`"
        )
    }

    @Test("content without bytes stays as it is, whatever its coding", arguments: ContentCoding.allCases)
    func empty(coding: ContentCoding) throws {
        #expect(try decode([], coding.rawValue) == [])
        #expect(try decode([], "\(coding.rawValue), gzip") == [])
    }

    @Test("bytes after the end are invalid", arguments: ContentCoding.allCases, [1, 65_536])
    func trailing(coding: ContentCoding, piece: Int) throws {
        let coded = try encoded(prose(300), coding)
        for rest in [[0], [0, 0, 0, 0], Array("garbage".utf8)] as [[UInt8]] {
            #expect(failure(coded + rest, coding.rawValue, Run(piece: piece))?.reason == .invalidContent)
        }
    }

    @Test("gzip may have several members, zstd several frames", arguments: [ContentCoding.gzip, .zstd], [1, 65_536])
    func members(coding: ContentCoding, piece: Int) throws {
        let (one, other) = (prose(500), prose(70_000, seed: 2))
        let coded = try encoded(one, coding) + encoded([], coding) + encoded(other, coding)
        #expect(try decode(coded, coding.rawValue, Run(piece: piece)) == one + other)
    }

    @Test("skippable zstd frames are skipped")
    func skippableFrame() throws {
        let coded = hex("50 2A 4D 18 03 00 00 00 FF FF FF") + (try encoded(prose(100), .zstd))
        #expect(try decode(coded, "zstd") == prose(100))
    }

    @Test("deflate without the header of zlib is decoded too", arguments: [1, 2, 65_536])
    func rawDeflate(piece: Int) throws {
        let content = prose(5_000)
        var run = Run()
        let stream = try Deflater(.raw, level: 6)
        var coded: [UInt8] = []
        var position = 0
        while try stream.step(content.span, from: &position, into: &coded, room: 65_536, isLast: true) != .ended {}
        #expect(try decode(coded, "deflate", Run(piece: piece)) == content)
        run.piece = piece
        #expect(try decode(hex("03 00"), "deflate", run) == [])
    }

    @Test(
        "known streams of other encoders are decoded",
        arguments: [
            ("br", "0b 02 80 68 65 6c 6c 6f 03"), ("br", "21 10 00 04 68 65 6c 6c 6f 03"),
            ("gzip", "1f8b08000000000002 03cb48cdc9c907 0086a6103605000000"),
            ("deflate", "789c cb48cdc9c907 00062c0215"), ("deflate", "cb48cdc9c90700"),
            ("zstd", "28b52ffd2005 290000 68656c6c6f"),
        ]
    )
    func vectors(coding: String, text: String) throws {
        #expect(try decode(hex(text), coding) == Array("hello".utf8))
    }

    @Test(
        "the output of the system's encoders is decoded",
        arguments: [
            ("gzip", "gzip -9c"), ("gzip", "gzip -1c"), ("zstd", "zstd -c"), ("zstd", "zstd -19 -c"),
            ("br", "brotli -c"),
        ]
    )
    func systemEncoders(coding: String, command: String) throws {
        guard let tool = SystemTool(command) else { return }
        let content = prose(400_000)
        #expect(try decode(tool.run(content), coding) == content)
    }

    @Test("zstd windows of more than 8 MiB are refused, 8 MiB are not (RFC 9659)")
    func zstdWindow() throws {
        // A frame without single segment: the window descriptor says 2^(10 + exponent); one raw block of one byte.
        let (fine, large) = (hex("28B52FFD 00 68 090000 61"), hex("28B52FFD 00 70 090000 61"))
        #expect(try decode(fine, "zstd") == [0x61])
        #expect(failure(large, "zstd")?.reason == .limit)
    }

    @Test("nested codings are removed in reverse order; more than the limit fail (H-131)")
    func nested() throws {
        let content = prose(30_000)
        let twice = try encoded(encoded(content, .br), .gzip)
        #expect(try decode(twice, "br, gzip") == content)
        #expect(failure(twice, "gzip, br")?.reason == .invalidContent)
        let four = try encoded(encoded(twice, .zstd), .deflate)
        #expect(failure(four, "br, gzip, zstd, deflate")?.reason == .limit)
        for (piece, room) in [(1, 262_144), (65_536, 100), (1_000, 1), (65_536, 262_144)] {
            var run = Run(piece: piece, room: room)
            run.limits.codings = 4
            #expect(try decode(four, "br, gzip, zstd, deflate", run) == content)
        }
    }

    @Test("nested codings that end early are invalid at each layer")
    func nestedTruncated() throws {
        let inner = try encoded(prose(2_000), .br)
        #expect(failure(try encoded(Array(inner.dropLast()), .gzip), "br, gzip")?.reason == .invalidContent)
        #expect(failure(try encoded(inner, .gzip).dropLast(), "br, gzip")?.reason == .invalidContent)
        #expect(failure(try encoded(inner + [0], .gzip), "br, gzip")?.reason == .invalidContent)
    }

    @Test("codings in several lines count in order")
    func severalLines() throws {
        var run = Run()
        var response = head(("Content-Encoding", "br"), ("content-encoding", "gzip"))
        let coded = try encoded(encoded(prose(100), .br), .gzip)
        #expect(try run.transform(DecodeTransformer(), &response, coded) == prose(100))
    }

    @Test("an unknown coding is unsupported, and the message quotes it safely")
    func unknown() {
        let simple = failure([], "gzip, compress")
        #expect(simple?.reason == .unsupported)
        #expect(simple?.userMessage.contains("`compress`") == true)
        let odd = failure([], "\u{1}\u{E9}" + String(repeating: "x", count: 200))
        #expect(odd?.userMessage == "the content coding `???\(String(repeating: "x", count: 37))…` is unknown")
    }

    @Test("the ratio stops a bomb, with bounded output per call (H-131)", arguments: ContentCoding.allCases)
    func ratio(coding: ContentCoding) throws {
        let bomb = try encoded([UInt8](repeating: 0, count: 16 << 20), coding)
        var run = Run()
        var made = 0
        var response = head(("Content-Encoding", coding.rawValue))
        let failure = #expect(throws: TransformFailure.self) {
            _ = try run.transform(DecodeTransformer(), &response, bomb)
        }
        made = run.output.count
        #expect(failure?.reason == .limit)
        #expect(failure?.userMessage.contains("decoded-ratio") == true)
        #expect(made < 3 << 20)
        #expect(run.largestCall <= run.room + 65_536)
    }

    @Test("without a ratio the size limit stops it, and without that it is decoded", arguments: ContentCoding.allCases)
    func size(coding: ContentCoding) throws {
        let bomb = try encoded([UInt8](repeating: 0, count: 3 << 20), coding)
        var run = Run(piece: 100, room: 10_000)
        run.limits.ratio = 0
        run.limits.decodedContent = 2 << 20
        let limit = failure(bomb, coding.rawValue, run)
        #expect(limit?.reason == .limit)
        #expect(limit?.userMessage.contains("decoded-size") == true)
        run.limits.decodedContent = 3 << 20
        #expect(try decode(bomb, coding.rawValue, run).count == 3 << 20)
        run.limits.decodedContent = 0
        #expect(try decode(bomb, coding.rawValue, run).count == 3 << 20)
    }

    @Test("a bomb in the outer coding is stopped although the inner coding shrinks it")
    func innerBomb() throws {
        let empty = try encoded([], .gzip)
        let inner = Array([[UInt8]](repeating: empty, count: 60_000).joined())
        #expect(failure(try encoded(inner, .zstd), "gzip, zstd")?.reason == .limit)
    }

    @Test("work without output checks the time too")
    func budget() throws {
        let budget = TransformBudget()
        let context = Run().context
        var response = head(("Content-Encoding", "gzip"))
        let decoding = try #require(
            try DecodeTransformer().begin(
                &response,
                TransformContext(uri: context.uri, request: Fields(), limits: context.limits, budget: budget)
            )
        )
        let empty = try encoded([], .gzip)
        let members = Array([[UInt8]](repeating: empty, count: 100).joined())
        var run = Run()
        #expect(try run.transform(decoding, members) == [])
        budget.cancel()
        #expect(throws: TransformFailure.self) { try run.transform(decoding, members) }
    }

    @Test("up to 1 MiB any ratio is allowed")
    func smallRatio() throws {
        let content = [UInt8](repeating: 0x20, count: 1 << 20)
        for coding in ContentCoding.allCases {
            #expect(try decode(encoded(content, coding), coding.rawValue) == content)
        }
    }

    @Test(
        "damaged and random content results in an error or in content, nothing else",
        arguments: ContentCoding.allCases
    )
    func noise(coding: ContentCoding) throws {
        var random = FixedRandom(seed: 7)
        let coded = try encoded(prose(2_000), coding)
        for round in 0..<400 {
            var content = round % 2 == 0 ? random.bytes(Int(random.next() % 300)) : coded
            for _ in 0..<(round % 2 == 0 ? 0 : 1 + random.next() % 4) {
                content[Int(random.next() % UInt64(content.count))] ^= UInt8(truncatingIfNeeded: random.next() | 1)
            }
            let run = Run(piece: 1 + Int(random.next() % 200), room: 1 + Int(random.next() % 5_000))
            let failure = failure(content, coding.rawValue, run)
            #expect(failure == nil || failure?.reason == .invalidContent || failure?.reason == .limit)
        }
    }

    @Test("a response without coding is left alone")
    func nothingToDo() throws {
        var run = Run()
        var response = head(("Content-Type", "text/plain"), ("Content-Length", "3"))
        #expect(try run.transform(DecodeTransformer(), &response, [1, 2, 3]) == nil)
        #expect(response == head(("Content-Type", "text/plain"), ("Content-Length", "3")))
    }

    @Test("`decode` accepts \"all\" and nothing else")
    func options() throws {
        _ = try DecodeTransformer(option: "all")
        #expect(throws: TransformerOptionError.self) { try DecodeTransformer(option: "gzip") }
    }
}
