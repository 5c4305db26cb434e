import HTTPCore
import Testing

@testable import Transforms

@Suite("Heads of renditions") struct DerivedHeadTests {
    private static let key = RenditionKey(fingerprint: "f", variation: "")

    private func fields(
        _ lines: [(String, String)],
        original: [(String, String)]? = nil,
        changesContent: Bool = true,
        digest: String? = nil
    ) -> Fields {
        let head = EntityHead(status: 200, fields: Sample.fields(lines))
        let outline = PipelinePlan.Outline(head: head, changesContent: changesContent)
        return DerivedHead.fields(outline, of: Sample.fields(original ?? lines), Self.key, digest: digest)
    }

    private func names(_ fields: Fields) -> [String] {
        fields.lines.map { String(decoding: fields.name(of: $0), as: UTF8.self).lowercased() }
    }

    @Test("validators, length and ranges of the original go; the tag is the rendition's own")
    func validators() {
        let result = fields([
            ("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Content-Length", "3"),
            ("Accept-Ranges", "bytes"), ("X-A", "1"),
        ])
        #expect(names(result) == ["x-a", "etag"])
        #expect(result.text(of: .etag) == "\"a-f\"")
    }

    @Test("without a tag of the origin the content's digest makes one, and without a digest there is none")
    func digest() {
        #expect(fields([], digest: "d").text(of: .etag) == "\"d-f\"")
        #expect(fields([]).text(of: .etag) == nil)
        #expect(fields([("ETag", "\"a\"")], digest: "d").text(of: .etag) == "\"a-f\"")
    }

    @Test("digests of the original's content and the list of trailers stay only if the content does")
    func digestFields() {
        let lines = [
            ("Content-MD5", "x"), ("Digest", "x"), ("Content-Digest", "x"), ("Repr-Digest", "x"), ("Trailer", "X-T"),
            ("Want-Digest", "x"),
        ]
        #expect(names(fields(lines)) == ["want-digest"])
        #expect(names(fields(lines, changesContent: false)).count == 6)
    }

    @Test(
        "a coding that is chosen here is named in Vary, once",
        arguments: [
            (nil, "Accept-Encoding"), ("Accept", "Accept, Accept-Encoding"), ("accept-encoding", "accept-encoding"),
            ("*", "*"), ("Origin, Accept-Encoding", "Origin, Accept-Encoding"),
            ("Origin,\tAccept-Encoding\t, Accept", "Origin,\tAccept-Encoding\t, Accept"),
        ] as [(String?, String)]
    )
    func vary(given: String?, expected: String) {
        var lines = [("Content-Encoding", "gzip")]
        if let given { lines.append(("Vary", given)) }
        let result = fields(lines, original: [])
        #expect(result.combined(.vary).map { String(decoding: $0, as: UTF8.self) } == expected)
        // If the origin chose the coding, the origin sends Vary.
        #expect(fields([("Content-Encoding", "gzip")]).combined(.vary) == nil)
    }
}
