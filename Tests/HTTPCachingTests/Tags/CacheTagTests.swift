import HTTPCore
import Testing

@testable import HTTPCaching

@Suite("One cache tag")
struct CacheTagTests {
    private let origin: Origin = Origin(
        TargetURI(scheme: .https, host: "h.example".bytes, port: 443, path: [])
    )

    @Test(
        "a tag has 1 to 1,024 visible characters",
        arguments: [(0, false), (1, true), (1024, true), (1025, false)]
    )
    func length(count: Int, isTag: Bool) {
        let name = [UInt8](repeating: 0x61, count: count)
        #expect(CacheTag(name)?.name == (isTag ? name : nil))
        #expect(CacheTag(group: name, of: origin)?.name == (isTag ? name : nil))
        #expect((CacheTag(bytes: [0x74] + name) != nil) == isTag)
    }

    @Test("characters are visible ASCII and the blank")
    func characters() {
        for byte in 0...255 as ClosedRange<UInt8> {
            #expect((CacheTag([byte]) != nil) == (0x20...0x7E).contains(byte), "\(byte)")
        }
    }

    @Test("a group's tag has its origin; bytes that were kept are read back, and no others")
    func groups() throws {
        let tag = try #require(CacheTag(group: "g".bytes, of: origin))
        #expect(tag.bytes == "ghttps://h.example\ng".bytes && tag.name == "g".bytes)
        let plain = try #require(CacheTag("g".bytes))
        #expect(plain.bytes == "tg".bytes && plain.name == "g".bytes && plain != tag)
        #expect(CacheTag(bytes: tag.bytes) == tag && CacheTag(bytes: plain.bytes) == plain)
        for bytes in ["", "t", "x", "gx", "tx\ny", "ghttps://h.example\n", "t\u{1F}", "t\u{7F}", "sg"] {
            #expect(CacheTag(bytes: bytes.bytes) == nil, "\(bytes)")
        }
    }
}
