import HTTPCore
import Testing

@testable import Transforms

@Suite("Entity tags of renditions") struct DerivedTagTests {
    private static let plain = RenditionKey(fingerprint: "0123456789abcdef", variation: "")
    private static let varied = RenditionKey(fingerprint: "0123456789abcdef", variation: "gzip")

    @Test("the original's tag is found again, strong or weak", arguments: ["\"a\"", "W/\"a\"", "\"\"", "\"a-b.c\""])
    func roundTrip(text: String) throws {
        let original = try Sample.tag(text)
        for key in [Self.plain, Self.varied] {
            let tag = DerivedTag.tag(original, key)
            #expect(tag != original && tag.isWeak == original.isWeak)
            #expect(DerivedTag.original(of: tag, fingerprint: key.fingerprint) == original)
            #expect(DerivedTag.original(of: tag, fingerprint: "fedcba9876543210") == nil)
        }
        #expect(DerivedTag.tag(original, Self.plain) != DerivedTag.tag(original, Self.varied))
    }

    @Test("a tag that is not quoted as it should be is found again, too", arguments: ["", "a", "\"", "abc"])
    func unquoted(opaque: String) {
        let original = EntityTag(isWeak: true, opaque: Array(opaque.utf8))
        let tag = DerivedTag.tag(original, Self.plain)
        #expect(tag.opaque == Array("\(opaque)-0123456789abcdef".utf8))
        #expect(DerivedTag.original(of: tag, fingerprint: Self.plain.fingerprint) == original)
    }

    @Test("the tag ends with the pipeline's fingerprint, and with the variation's digest if there is one")
    func form() throws {
        let original = try Sample.tag("\"a\"")
        #expect(Sample.text(DerivedTag.tag(original, Self.plain)) == "\"a-0123456789abcdef\"")
        #expect(Sample.text(DerivedTag.tag(try Sample.tag("\"\""), Self.plain)) == "\"-0123456789abcdef\"")
        let varied = try #require(Sample.text(DerivedTag.tag(original, Self.varied)))
        #expect(
            varied.hasPrefix("\"a-0123456789abcdef.") && varied.utf8.count == "\"a-0123456789abcdef\"".utf8.count + 9
        )
        #expect(Sample.text(DerivedTag.tag(digest: "d1", Self.plain)) == "\"d1-0123456789abcdef\"")
    }

    @Test(
        "a tag that is not of this pipeline has no original",
        arguments: [
            "\"a\"", "\"0123456789abcdef\"", "\"a-0123456789abcdef.\"", "\"a-0123456789abcdef-12345678\"", "\"\"",
            "\"a-0123456789abcdef.1234567\"", "\"a-0123456789abcdef.123456789\"", "\"a-0123456789abcdef1.234567\"",
        ]
    )
    func foreign(text: String) throws {
        #expect(DerivedTag.original(of: try Sample.tag(text), fingerprint: "0123456789abcdef") == nil)
    }
}
