import TestDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import Testing

/// Content with what is known about it, as programs see it.
@Suite("Entities") struct EntityTests {
    private static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return fields
    }

    private static func response(_ lines: [(String, String)]) -> Entity<[UInt8]> {
        Entity(response: fields(lines), content: Array("abc".utf8), timestamp: Timestamp(seconds: 1000))
    }

    @Test("the type is that of the response, application/octet-stream if it has none (S-077, T-006, T-008)")
    func contentType() {
        #expect(Self.response([("cONTENT-tYPE", "text/x-sample")]).contentType == "text/x-sample")
        #expect(Self.response([]).contentType == "application/octet-stream")
    }

    @Test(
        "the charset is a parameter of the type, wherever it stands (S-078, T-007)",
        arguments: [
            ("text/x-sample; charset=utf-8", "utf-8"), ("text/html;level=1; Charset=\"KOI8-R\" ; x=y", "KOI8-R"),
            ("text/plain; x=\"a;charset=no\"", nil), ("text/plain", nil),
        ] as [(String, String?)]
    )
    func charset(type: String, expected: String?) {
        #expect(Self.response([("Content-Type", type)]).charset == expected)
    }

    @Test("header names know no case, and a name with a hyphen is no name without (S-079, T-009, T-010)")
    func headers() {
        let entity = Self.response([("X-Kind", "odd"), ("eTaG", "\"a b\"")])
        #expect(entity.header(forKey: "X-Kind") == "odd" && entity.header(forKey: "x-kIND") == "odd")
        #expect(entity.header(forKey: "XKind") == nil)
        #expect(entity.etag == "\"a b\"")
        #expect(entity.headers == ["x-kind": "odd", "etag": "\"a b\""])
    }

    @Test("assigning all headers makes their names lower-case; repeated lines are joined (S-079)")
    func assigning() {
        var entity = Self.response([("Via", "1.1 a"), ("Via", "1.1 b")])
        #expect(entity.header(forKey: "via") == "1.1 a, 1.1 b")
        entity.headers = ["X-One": "1"]
        #expect(entity.headers == ["x-one": "1"])
        entity.setHeader("2", forKey: "X-ONE")
        #expect(entity.headers == ["x-one": "2"])
        entity.setHeader(nil, forKey: "x-One")
        #expect(entity.headers.isEmpty)
    }

    @Test("of two spellings of one name the lower-case one wins, and an explicit type over all (S-258)")
    func spellings() {
        let headers = ["content-type": "a/a", "Content-Type": "b/b", "CONTENT-TYPE": "c/c"]
        for _ in 0..<20 { #expect(Entity(content: 1, headers: headers).contentType == "a/a") }
        #expect(Entity(content: 1, contentType: "d/d", headers: headers).contentType == "d/d")
    }

    @Test("the timestamp is given, else that of making, and moved by touch (S-080)")
    func timestamps() {
        var entity = Self.response([])
        #expect(entity.timestamp == Timestamp(seconds: 1000))
        entity.touch(at: Timestamp(seconds: 1000.25))
        #expect(entity.timestamp.seconds == 1000.25)
        let before = Timestamp.now
        let made = Entity(content: "a", contentType: "text/plain")
        #expect(made.timestamp >= before && made.timestamp <= Timestamp.now)
    }

    @Test("an entity can be had with its content as another type, if it is one (S-082)")
    func retyping() throws {
        let entity = Entity(content: "a", contentType: "text/plain", headers: ["X": "y"]).erased
        let text = try #require(entity.withContentRetyped(String.self))
        #expect(text.content == "a" && text.headers == entity.headers && text.timestamp == entity.timestamp)
        #expect(entity.withContentRetyped(Int.self) == nil)
        // What was erased already is not wrapped again.
        #expect(type(of: entity.erased.content) == String.self)
    }

    @Test("typed content falls back to a default, which is evaluated only then (S-083, T-114 to T-117)")
    func typedContent() {
        let evaluations = LockedBox(0)
        func fallback() -> String {
            evaluations.change { $0 += 1 }
            return "none"
        }
        let text = Entity(content: "abc", contentType: "text/plain")
        #expect(text.typedContent(ifNone: fallback()) == "abc")
        #expect(evaluations.value == 0)
        let bytes = Self.response([])
        #expect(bytes.typedContent(ifNone: fallback()) == "none")
        #expect(evaluations.value == 1)
        let nothing = RequestError(userMessage: "nothing")
        #expect(nothing.typedContent(ifNone: "none") == "none")
        #expect(bytes.typedContent(ifNone: nil as String?) == nil)
        let inferred: [UInt8]? = bytes.typedContent()
        #expect(inferred == Array("abc".utf8))
    }

    @Test("text, object and array are empty where the content is something else (S-083, T-246)")
    func emptyAccessors() {
        let object = Entity(content: ["a": 1] as [String: any Sendable], contentType: "application/json")
        #expect(object.jsonDict["a"] as? Int == 1)
        #expect(object.jsonArray.isEmpty && object.text.isEmpty)
        let array = Entity(content: [1, "b"] as [any Sendable], contentType: "application/json")
        #expect(array.jsonArray.count == 2 && array.jsonDict.isEmpty)
    }

    @Test("timestamps of any number are moments")
    func anyNumber() {
        #expect(Timestamp(seconds: .nan) == .epoch)
        #expect(Timestamp(seconds: .infinity) > Timestamp(seconds: 1e12))
        #expect(Timestamp(seconds: -.infinity) < .epoch)
        #expect(Timestamp(seconds: -0.5).date == HTTPDate(seconds: -1))
        #expect(Timestamp(seconds: 1.75).date == HTTPDate(seconds: 1))
    }

    @Test("between moments there are durations, in either direction")
    func durations() {
        let (early, late) = (Timestamp(seconds: 1.5), Timestamp(seconds: 3))
        let (after, before) = (Duration.milliseconds(1500), Duration.milliseconds(-1500))
        #expect(late - early == after && early - late == before)
        #expect(early + after == late && late + before == early)
    }
}
