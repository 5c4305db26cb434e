import HTTPCore
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("entity tags in a list: a backslash is itself, comparison is weak (C-12.2)")
    func entityTags() throws {
        let all = fields(("If-None-Match", "\"a\\\", W/\"b,c\""), ("If-None-Match", "d"))
        let tags = EntityTag.list(of: .ifNoneMatch, in: all)
        #expect(tags.map { text($0.bytes) } == ["\"a\\\"", "W/\"b,c\"", "d"])
        let tag = try #require(EntityTag(latin("\"b,c\"")))
        #expect(tag.matchesWeakly(tags[1]))
        #expect(!tag.matchesStrongly(tags[1]))
        func isMember(of list: String, strongly: Bool) -> Bool {
            tag.isMember(ofList: latin(list).span, strongly: strongly)
        }
        #expect(isMember(of: "\"x\", W/\"b,c\"", strongly: false))
        #expect(!isMember(of: "\"x\", W/\"b,c\"", strongly: true))
        #expect(isMember(of: "\"x\",\"b,c\"", strongly: true))
        #expect(EntityTag(latin("w/\"a\""))?.isWeak == false)
        #expect(EntityTag(latin(" ")) == nil)
    }
}
