import Testing

@testable import HTTPCore

@Suite("Reading and changing a field section")
struct FieldAccessTests {
    private let all = fields(("Via", "1"), ("X-A", "2"), ("via", ""), ("Host", "h"), ("x-a", "3"))

    @Test("lines are found by field and by name, in their order")
    func reading() {
        #expect(all.count(of: .via) == 2 && all.count(of: .host) == 1 && all.count(of: .date) == 0)
        #expect(all.value(of: .via) == latin("1") && all.text(of: .host) == "h" && all.value(of: .date) == nil)
        #expect(all.values(of: .via).map { text($0) } == ["1", ""] && all.values(of: .date).isEmpty)
        #expect(
            all.values(named: latin("X-a")).map { text($0) } == ["2", "3"] && all.values(named: latin("x")).isEmpty
        )
        #expect(all.contains(named: latin("x-A")) && !all.contains(named: latin("x-b")))
        #expect(!all.contains(named: latin("x-aa")) && !all.isEmpty)
        #expect(all.combined(.via) == latin("1, ") && all.combined(.host) == latin("h") && all.combined(.date) == nil)
        let names = all.lines.map { line in all.withName(line) { [UInt8](copying: $0) } }
        #expect(names == ["Via", "X-A", "via", "Host", "x-a"].map { latin($0) })
        let counts = all.lines.map { line in all.withValue(line) { $0.count } }
        #expect(counts == [1, 1, 0, 1, 1])
    }

    @Test("the text of a section has its lines as they are sent")
    func bytes() {
        #expect(text(all.bytes) == "Via: 1\r\nX-A: 2\r\nvia: \r\nHost: h\r\nx-a: 3\r\n")
        var known = Fields()
        known.append(.etag, "\"a\"")
        known.append(.age, latin(""))
        #expect(text(known.bytes) == "ETag: \"a\"\r\nAge: \r\n")
        #expect(known.text(of: .etag) == "\"a\"" && known.text(of: .age) == "")
    }

    @Test("what is removed or set anew is known to be there no more, or once")
    func changing() {
        var some = all
        some.remove(.via)
        #expect(names(some) == ["X-A", "Host", "x-a"] && !some.contains(.via) && some.contains(.host))
        some.remove(.date)
        some.remove(named: latin("X-a"))
        #expect(names(some) == ["Host"])
        some.set(.host, "i")
        some.set(.age, latin("5"))
        #expect(some.values(of: .host) == [latin("i")] && some.text(of: .age) == "5" && names(some) == ["Host", "Age"])
        some.removeAll()
        #expect(some.isEmpty && some.bytes.isEmpty && some.present == [] && some == Fields())
    }

    @Test("a set of fields has what was inserted, and nothing else")
    func sets() {
        for field in KnownField.allCases {
            let one: KnownFieldSet = [field]
            #expect(KnownField.allCases.filter { one.contains($0) } == [field])
            #expect(one.isDisjoint(with: []) && !one.isDisjoint(with: [.via, field]))
            #expect(field == .age || one.isDisjoint(with: [.age]))
        }
    }

    @Test("members of a list stand in all lines of its field")
    func members() {
        let list = fields(("Via", "1.1 a, 1.0 b"), ("X", "c"), ("via", ", \"d, e\""))
        #expect(ListMembers.members(of: .via, in: list).map { text($0) } == ["1.1 a", "1.0 b", "\"d, e\""])
        #expect(ListMembers.members(of: .age, in: list).isEmpty)
    }

    // MARK: Entity tags

    @Test(
        "a tag is weak with W/ before it, and nothing without text",
        arguments: [
            ("\"a\"", "\"a\"", false), (" W/\"a\"\t", "\"a\"", true), ("W", "W", false), ("W/", nil, false),
            ("", nil, false),
            ("/a", "/a", false), ("W/a", "a", true), ("WW/a", "WW/a", false),
        ] as [(String, String?, Bool)]
    )
    func tags(value: String, opaque: String?, isWeak: Bool) {
        let tag = EntityTag(latin(value))
        #expect(tag?.opaque == opaque.map { latin($0) } && tag?.isWeak ?? false == isWeak)
        let section = fields(("X", "y"), ("ETag", value))
        #expect(EntityTag(in: section) == tag && EntityTag(in: fields(("X", "y"))) == nil)
        guard let tag else { return }
        #expect(tag.bytes == latin(isWeak ? "W/" : "") + tag.opaque && tag.sharing(section) == tag)
        #expect(tag.sharing(fields(("ETag", "other"))) == tag && EntityTag(in: section)?.hashValue == tag.hashValue)
    }

    @Test("strong comparison needs two strong tags, weak comparison the same text (RFC 9110 §8.8.3.2)")
    func comparison() throws {
        let tags = try ["\"1\"", "W/\"1\"", "\"2\"", "W/\"2\""].map { try #require(EntityTag(latin($0))) }
        let strong = tags.map { one in tags.map { one.matchesStrongly($0) } }
        let weak = tags.map { one in tags.map { one.matchesWeakly($0) } }
        let (yes, no) = (true, false)
        #expect(strong == [[yes, no, no, no], [no, no, no, no], [no, no, yes, no], [no, no, no, no]])
        #expect(weak == [[yes, yes, no, no], [yes, yes, no, no], [no, no, yes, yes], [no, no, yes, yes]])
        for (row, one) in tags.enumerated() {
            for (column, other) in tags.enumerated() { #expect((one == other) == (row == column)) }
        }
        let list = latin("x, W/\"1\" ,\"2\",W")
        func isMember(_ tag: EntityTag?, strongly: Bool = false) -> Bool? {
            tag?.isMember(ofList: list.span, strongly: strongly)
        }
        #expect(tags.map { isMember($0) } == [yes, yes, yes, yes])
        #expect(tags.map { isMember($0, strongly: true) } == [no, no, yes, no])
        #expect(isMember(EntityTag(latin("W"))) == true && isMember(EntityTag(latin("y"))) == false)
    }
}
