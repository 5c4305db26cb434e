import Exchanges
import HTTPCore
import Transforms
import TestSupport
import Testing

@testable import Transformers

@Suite("Encoding")
struct EncodingTests {
    private let four = ["br", "zstd", "gzip", "deflate"]

    private func variation(_ accept: String?, _ codings: [String]? = nil) throws -> String {
        let request = fields(accept.map { [("Accept-Encoding", $0)] } ?? [])
        return try EncodeTransformer(codings: codings ?? four).variation(for: request)
    }

    @Test(
        "the coding with the highest weight is chosen, among equals the first offered (RFC 9110 §12.5.3)",
        arguments: [
            ("gzip, deflate, br, zstd", "br"), ("gzip", "gzip"), ("x-gzip", "gzip"), ("GZIP", "gzip"),
            ("gzip;q=0.5, deflate;q=0.8", "deflate"), ("gzip; q=0.501, br ; q=0.5", "gzip"), ("br;q=0, gzip", "gzip"),
            ("*", "br"), ("br;q=0, *", "zstd"), ("*;q=0", "identity"), ("gzip;q=0", "identity"), ("", "identity"),
            ("identity, gzip;q=0.5", "identity"), ("identity;q=0.5, gzip;q=0.5", "gzip"),
            ("identity;q=0", "identity"), ("identity;q=0, gzip", "gzip!"), ("*;q=0, gzip", "gzip!"),
            ("*;q=0, identity;q=0.1, gzip", "gzip"), ("gzip;q=1.000", "gzip"), ("gzip;q=1.001", "identity"),
            ("gzip;q=0.0001", "identity"), ("gzip;q=x, deflate;q=0.1", "deflate"), ("compress", "identity"),
            ("gzip;q=0.9, deflate;q=0.899", "gzip"), ("gzip;q=0.909, deflate;q=0.91", "deflate"),
            ("gzip;q=0:, deflate;q=0.1", "deflate"), ("gzip;q=0./, deflate;q=0.1", "deflate"),
            ("gzip;q=0.:, deflate;q=0.1", "deflate"), ("gzip;q=2, deflate;q=0.1", "deflate"),
            ("gzip;q=1.000, deflate;q=0.999", "gzip"), ("gzip;q=0., deflate;q=0.1", "deflate"),
            ("gzip;q=0.3;x=1, deflate;q=0.2", "gzip"), (",, ,gzip,,", "gzip"), (";q=1, gzip;q=0.1", "gzip"),
        ]
    )
    func negotiation(accept: String, expected: String) throws {
        #expect(try variation(accept) == expected)
    }

    @Test("without Accept-Encoding there is no coding")
    func silence() throws {
        #expect(try variation(nil) == "identity")
    }

    @Test(
        "content gets the chosen coding, and Content-Encoding and Vary declare it",
        arguments: ContentCoding.allCases,
        [1, 65_536]
    )
    func encodes(coding: ContentCoding, piece: Int) throws {
        let content = prose(20_000)
        var run = Run(piece: piece, room: piece == 1 ? 3 : 262_144)
        run.request = [("Accept-Encoding", coding.rawValue)]
        var response = head(("Content-Type", "text/plain"), ("Content-Length", "20000"), ("Vary", "Accept"))
        let coded = try #require(try run.transform(EncodeTransformer(codings: four), &response, content))
        let expected = head(
            ("Content-Type", "text/plain"),
            ("Vary", "Accept"),
            ("Vary", "Accept-Encoding"),
            ("Content-Encoding", coding.rawValue)
        )
        #expect(response == expected)
        #expect(coded.count < content.count / 2)
        #expect(try Run().decoded(coded, coding.rawValue) == content)
    }

    @Test(
        "the system's decoders read the output",
        arguments: [(ContentCoding.gzip, "gzip -dc"), (.zstd, "zstd -dc"), (.br, "brotli -dc")]
    )
    func systemDecoders(coding: ContentCoding, command: String) throws {
        guard let tool = SystemTool(command) else { return }
        for content in [prose(300_000), [], [0x61]] { #expect(try tool.run(encoded(content, coding)) == content) }
    }

    @Test("Python decodes gzip and zlib")
    func python() throws {
        let content = prose(100_000)
        for (coding, module) in [(ContentCoding.gzip, "gzip"), (.deflate, "zlib")] {
            guard
                let tool = SystemTool(
                    "python3 -c import\(tab)sys,\(module);sys.stdout.buffer.write(\(module).decompress(sys.stdin.buffer.read()))"
                )
            else { return }
            #expect(try tool.run(encoded(content, coding)) == content)
        }
    }

    private let tab = "\t"

    @Test("Vary gets Accept-Encoding once, also where this client gets no coding")
    func vary() throws {
        var run = Run()
        var response = head(("Content-Type", "text/plain"), ("Vary", "Origin, ACCEPT-encoding"))
        #expect(try run.transform(EncodeTransformer(codings: ["gzip"]), &response, prose(1_000)) == nil)
        #expect(response == head(("Content-Type", "text/plain"), ("Vary", "Origin, ACCEPT-encoding")))
        response = head(("Content-Type", "text/plain"), ("Vary", "*"))
        #expect(try run.transform(EncodeTransformer(codings: ["gzip"]), &response, prose(1_000)) == nil)
        #expect(response == head(("Content-Type", "text/plain"), ("Vary", "*")))
        response = head(("Content-Type", "text/plain"))
        #expect(try run.transform(EncodeTransformer(codings: ["gzip"]), &response, prose(1_000)) == nil)
        #expect(response == head(("Content-Type", "text/plain"), ("Vary", "Accept-Encoding")))
    }

    @Test(
        "content that would not shrink gets neither coding nor Vary",
        arguments: [
            "image/png", "video/mp4", "audio/mpeg", "font/woff2", "application/zip", "application/octet-stream",
            "application/vnd.debian.binary-package", "application/epub+zip", "text/event-stream", "", "nonsense",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "IMAGE/JPEG; x=y",
        ]
    )
    func compressedTypes(type: String) throws {
        var run = Run()
        run.request = [("Accept-Encoding", "gzip, identity;q=0")]
        var response = type.isEmpty ? head() : head(("Content-Type", type))
        let before = response
        #expect(try run.transform(EncodeTransformer(codings: four), &response, prose(1_000)) == nil)
        #expect(response == before)
    }

    @Test(
        "types that shrink are coded",
        arguments: ["text/html", "application/json", "image/svg+xml", "application/wasm"]
    )
    func plainTypes(type: String) throws {
        var run = Run()
        run.request = [("Accept-Encoding", "gzip")]
        var response = head(("Content-Type", type))
        #expect(try run.transform(EncodeTransformer(codings: four), &response, prose(1_000)) != nil)
    }

    @Test("less than 256 bytes are not coded, unless the client refuses identity")
    func tiny() throws {
        let encode = try EncodeTransformer(codings: four)
        for (accept, length, isCoded) in [
            ("gzip", "255", false), ("gzip", "256", true), ("gzip, identity;q=0", "255", true), ("gzip", "x", true),
        ] {
            var run = Run()
            run.request = [("Accept-Encoding", accept)]
            var response = head(("Content-Type", "text/plain"), ("Content-Length", length))
            #expect(try (run.transform(encode, &response, prose(200)) != nil) == isCoded)
            #expect(response.fields.contains(.vary))
        }
    }

    @Test("content with a coding stays as it is; `always` adds another")
    func alreadyCoded() throws {
        var run = Run()
        run.request = [("Accept-Encoding", "gzip")]
        let lines = [("Content-Type", "text/plain"), ("Content-Encoding", "br")]
        var response = EntityHead(status: 200, fields: fields(lines))
        let coded = try encoded(prose(500), .br)
        #expect(try run.transform(EncodeTransformer(codings: four), &response, coded) == nil)
        #expect(response.fields == fields(lines))
        let always = try EncodeTransformer(codings: ["gzip"], always: true)
        let twice = try #require(try run.transform(always, &response, coded))
        #expect(response.fields.text(of: .contentEncoding) == "br, gzip")
        #expect(!response.fields.contains(.vary))
        #expect(try Run().decoded(twice, "br, gzip") == prose(500))
        #expect(always.variation(for: run.context.request) == "")
    }

    @Test(
        "several codings with `always` nest, the first innermost",
        arguments: [(1, 1), (1_000, 7), (65_536, 262_144)]
    )
    func nested(piece: Int, room: Int) throws {
        var run = Run(piece: piece, room: room)
        var response = head(("Content-Type", "image/png"))
        let always = try EncodeTransformer(codings: ["br", "gzip", "zstd", "deflate", "gzip"], always: true)
        let coded = try #require(try run.transform(always, &response, prose(3_000)))
        #expect(response.fields.text(of: .contentEncoding) == "br, gzip, zstd, deflate, gzip")
        run.limits.codings = 5
        #expect(try run.decoded(coded, "br, gzip, zstd, deflate, gzip") == prose(3_000))
    }

    @Test("`identity` in Content-Encoding is not a coding")
    func identity() throws {
        var run = Run()
        run.request = [("Accept-Encoding", "gzip")]
        var response = head(("Content-Type", "text/plain"), ("Content-Encoding", "identity"))
        #expect(try run.transform(EncodeTransformer(codings: four), &response, prose(500)) != nil)
        #expect(response.fields.text(of: .contentEncoding) == "gzip")
    }

    @Test("content that does not compress can be coded", arguments: ContentCoding.allCases)
    func incompressible(coding: ContentCoding) throws {
        var random = FixedRandom(seed: 3)
        let content = random.bytes(300_000)
        #expect(try Run().decoded(encoded(content, coding), coding.rawValue) == content)
    }

    @Test("errors name wrong options")
    func options() throws {
        for codings in [[], ["gzip", "lzma"], ["gzip", "x-gzip"]] {
            #expect(throws: TransformerOptionError.self) { try EncodeTransformer(codings: codings) }
        }
        #expect(try EncodeTransformer(codings: ["gzip", "br"]).fingerprint == "encode:gzip,br")
        #expect(try EncodeTransformer(codings: ["gzip"], always: true).fingerprint == "encode:gzip:always")
    }
}

extension Run {
    func decoded(_ content: [UInt8], _ codings: String) throws -> [UInt8] {
        var run = self
        var response = head(("Content-Encoding", codings))
        return try run.transform(DecodeTransformer(), &response, content) ?? content
    }
}
