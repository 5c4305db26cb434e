import HTTPCaching
import HTTPCore
import Testing

/// Tags and groups of responses, read from their fields (C-24.3).
@Suite("Cache tags") struct CacheTagsTests {
    private static let uri = target("https://a.example/x")

    private static func target(_ text: String) -> TargetURI {
        guard let uri = TargetURI(canonical: Array(text.utf8).span) else { preconditionFailure("\(text) is no URI") }
        return uri
    }

    private static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for line in lines { fields.append(name: line.0, value: line.1) }
        return fields
    }

    private static func names(_ lines: [(String, String)]) -> [String] {
        CacheTags.names(of: fields(lines), from: uri).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "each field separates names in its own way, and each name counts once (C-24.3)",
        arguments: [
            ([("Surrogate-Key", " a  b\ta ")], ["a", "b"]),
            ([("Surrogate-Key", "a,b")], ["a,b"]),
            ([("Cache-Tag", "a, b c ,,d,")], ["a", "b c", "d"]),
            ([("xkey", "a b,c"), ("XKEY", "d a")], ["a", "b", "c", "d"]),
            ([("Cache-Groups", #""a", "b c";p=1"#)], ["a", "b c"]),
            ([("Cache-Groups", "  \"a\" \t,\t\"b\"\t ")], ["a", "b"]), ([("Cache-Groups", #""a\"\\""#)], [#"a"\"#]),
            ([("cache-groups", #""a""#), ("Cache-Groups", #""b""#)], ["a", "b"]),
            ([("Cache-Tag", "News"), ("xkey", "news")], ["News", "news"]),
            ([("Surrogate-Keys", "a"), ("X-Cache-Tag", "b"), ("Content-Type", "c")], []),
            ([], []),
        ] as [([(String, String)], [String])]
    )
    func separators(lines: [(String, String)], expected: [String]) {
        #expect(Self.names(lines) == expected)
        #expect(CacheTags.areIn(Self.fields(lines)) == !expected.isEmpty)
    }

    @Test(
        "groups that are no list of strings count as none (C-24.3)",
        arguments: ["a", #""a", b"#, #""a" "b""#, #""a","#, #"("a")"#, #""a"#, "1", "", "\t\"a\""]
    )
    func invalidGroups(value: String) {
        #expect(Self.names([("Cache-Groups", value), ("xkey", "x")]) == ["x"])
    }

    @Test("bytes outside of ASCII, and names of more than 1,024 bytes, are no tags; the others count (C-24.3)")
    func invalidNames() {
        var fields = Fields()
        fields.append(name: Array("Surrogate-Key".utf8), value: Array("ok ".utf8) + [0xFF, 0x41, 0x20, 0x7F])
        #expect(CacheTags.names(of: fields, from: Self.uri) == [Array("ok".utf8)])
        let (longest, longer) = (String(repeating: "a", count: 1024), String(repeating: "b", count: 1025))
        #expect(Self.names([("xkey", "\(longest) \(longer) c")]) == [longest, "c"])
        #expect(CacheTag([]) == nil)
    }

    @Test("of 10,000 tags few count, and 40 groups of 32 characters always do (C-24.3)")
    func limits() {
        let keys = (0..<10_000).map { "key-\($0)" }.joined(separator: " ")
        let groups = (0..<40).map { "\"" + String(repeating: "g", count: 30) + "\($0 + 10)\"" }.joined(separator: ", ")
        let tags = CacheTags.tags(of: Self.fields([("Surrogate-Key", keys), ("Cache-Groups", groups)]), from: Self.uri)
        #expect(tags.count == CacheTags.countLimit && Set(tags).count == tags.count)
        #expect(tags.count { $0.bytes.first == UInt8(ascii: "g") } == 40)
    }

    @Test("a third of the tags is left to groups: 42 count, and 128 that are invalidated (C-24.3)")
    func groupLimits() {
        func groups(_ count: Int) -> String { (0..<count).map { "\"g\($0)\"" }.joined(separator: ", ") }
        for (count, expected) in [(41, 41), (42, 42), (43, 42), (200, 42)] {
            let tags = CacheTags.tags(of: Self.fields([("Cache-Groups", groups(count))]), from: Self.uri)
            #expect(tags.count { $0.bytes.first == UInt8(ascii: "g") } == expected && tags.count == 2 * expected)
        }
        for (count, expected) in [(127, 127), (128, 128), (129, 128)] {
            let fields = Self.fields([("Cache-Group-Invalidation", groups(count))])
            let all = Invalidation.groups(method: .post, target: Self.uri, status: 200, fields: fields)
            #expect(all.count == expected)
        }
    }

    @Test("a group belongs to its origin: scheme, host and port; a tag to none (C-24.3)")
    func origins() {
        let fields = Self.fields([("Cache-Groups", #""g""#)])
        let uris = ["https://a.example/", "http://a.example/", "https://a.example:8443/", "https://b.example/"]
        let groups = uris.map { CacheTags.tags(of: fields, from: Self.target($0)).first { $0.bytes.first == 0x67 } }
        #expect(Set(groups).count == 4)
        #expect(Set(uris.map { CacheTags.tags(of: fields, from: Self.target($0)).last }) == [CacheTag("g".utf8)])
        #expect(groups.allSatisfy { $0?.name == Array("g".utf8) })
    }

    @Test(
        "only the successful response to an unsafe request invalidates groups (C-24.3)",
        arguments: [
            (.post, 204, 2), (.put, 303, 2), (.delete, 200, 2), (.get, 200, 0), (.query, 200, 0), (.post, 400, 0),
            (.post, 500, 0),
        ] as [(Method, UInt16, Int)]
    )
    func invalidation(method: Method, status: UInt16, expected: Int) {
        let fields = Self.fields([("Cache-Group-Invalidation", #""a", "b";x"#)])
        let groups = Invalidation.groups(method: method, target: Self.uri, status: status, fields: fields)
        #expect(groups.count == expected)
        #expect(groups.allSatisfy { String(decoding: $0.bytes, as: UTF8.self).hasPrefix("ghttps://a.example\n") })
    }

    @Test("an invalid Cache-Group-Invalidation is ignored as a whole (C-24.3)", arguments: ["a", #""a", 1"#, #""a";"#])
    func invalidInvalidation(value: String) {
        let fields = Self.fields([("Cache-Group-Invalidation", value)])
        #expect(Invalidation.groups(method: .post, target: Self.uri, status: 200, fields: fields).isEmpty)
    }

    @Test("tags for caches are stored but not reused; Cache-Groups is for everyone (C-24.3)")
    func reuse() {
        let lines = [
            ("Surrogate-Key", "a"), ("Cache-Groups", #""g""#), ("X-Other", "o"), ("cache-tag", "b"), ("xkey", "c"),
        ]
        let stored = StoredFields.storing(Self.fields(lines))
        #expect(stored.lines.count == 5)
        let reused = StoredFields.reusing(stored, under: CacheControl())
        #expect(
            reused.lines.map { String(decoding: reused.name(of: $0), as: UTF8.self) } == ["Cache-Groups", "X-Other"]
        )
    }
}
