import Administration
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceModel
import Stores
import Testing

/// What other nodes are told of changes, and what a node does when it is told.
@Suite struct AnnouncedChangeTests {
    @Test(
        "a change of what is stored is announced to other nodes once, a wipe of this one's memory is not",
        arguments: [
            ("purge", #"{"uri":"http://h.example/1"}"#, "purge http://h.example/1"),
            ("purge", #"{"filter":"http://h.example/**"}"#, "purge matching http://h.example/**"),
            ("purge", #"{"tags":["a","b"]}"#, "purge 2 tags"),
            ("invalidate", #"{"uri":"http://h.example/1"}"#, "invalidate http://h.example/1"),
            ("invalidate", #"{"filter":"http://h.example/**"}"#, "purge matching http://h.example/**"),
            ("wipe", #"{"uri":"http://h.example/1"}"#, nil), ("wipe", #"{"filter":"**"}"#, nil),
            ("purge", #"{"uri":"http://h.example/1","dryRun":true}"#, nil),
        ] as [(String, String, String?)]
    )
    func announced(path: String, json: String, expected: String?) throws {
        let admin = try TestAdmin()
        #expect(try admin.post("/v1/\(path)", json).status == 200)
        #expect(admin.store?.announcements.withLock { $0 } == (expected.map { [$0] } ?? []))
    }

    /// Two resources in memory and in the store, the second one with a tag.
    private static func filled() throws -> (admin: TestAdmin, held: [Resource]) {
        let admin = try TestAdmin()
        let held = try ["1", "2"].map { try admin.hold("http://h.example/\($0)", "x", [("Surrogate-Key", "t\($0)")]) }
        for number in 1...2 {
            let fields = [("Cache-Control", "max-age=60"), ("Surrogate-Key", "t\(number)")]
            try admin.store?.put(.sample("http://h.example/\(number)", fields: fields))
        }
        return (admin, held)
    }

    private static func left(_ admin: TestAdmin) -> [String] {
        (admin.store?.all ?? []).map { "\($0.uri.path.last.map { Character(UnicodeScalar($0)) } ?? "?")" }
    }

    @Test("a purge of a URI drops it from memory and store, and leaves the others")
    func purge() throws {
        let (admin, held) = try Self.filled()
        ReceivedChange(admin.service, admin.store).make(.purge(try TargetURI(parsing: "http://h.example/1")))
        #expect(held.map { $0.latestResponse == nil } == [true, false] && Self.left(admin) == ["2"])
        #expect(admin.store?.announcements.withLock { $0 } == [])
    }

    @Test("what is to be invalidated goes from memory and is marked in the store")
    func invalidate() throws {
        let (admin, held) = try Self.filled()
        ReceivedChange(admin.service, admin.store).make(.invalidate(try TargetURI(parsing: "http://h.example/2")))
        #expect(held.map { $0.latestResponse == nil } == [false, true])
        #expect(admin.store?.all.map(\.isInvalidated) == [false, true])
    }

    @Test("a purge by a filter drops what fits from memory and store")
    func matching() throws {
        let (admin, held) = try Self.filled()
        let filter = try #require(ReceivedChange.filter("http://h.example/2*"))
        ReceivedChange(admin.service, admin.store).make(.purgeMatching("http://h.example/2*", filter))
        #expect(held.map { $0.latestResponse == nil } == [false, true] && Self.left(admin) == ["1"])
    }

    @Test("a purge by tag drops what has the tag from memory and store")
    func tags() throws {
        let (admin, held) = try Self.filled()
        let tag = try #require(CacheTag("t1".utf8))
        ReceivedChange(admin.service, admin.store).make(.purgeTags([tag]))
        #expect(held.last?.latestResponse != nil && Self.left(admin) == ["2"])
    }

    @Test("a wipe of all leaves nothing in memory, and the store as it is")
    func wipe() throws {
        let (admin, held) = try Self.filled()
        ReceivedChange(admin.service, admin.store).wipeAll()
        #expect(held.allSatisfy { $0.latestResponse == nil } && Self.left(admin) == ["1", "2"])
    }

    @Test("without a store memory alone is changed")
    func memory() throws {
        let admin = try TestAdmin(hasStore: false)
        let held = try ["1", "2"].map { try admin.hold("http://h.example/\($0)") }
        let change = ReceivedChange(admin.service, nil)
        change.make(.purge(try TargetURI(parsing: "http://h.example/1")))
        #expect(held.map { $0.latestResponse == nil } == [true, false])
        change.make(.purgeMatching("**") { _ in true })
        #expect(held.allSatisfy { $0.latestResponse == nil })
    }

    @Test(
        "a filter of another node is one about URLs; anything else is none",
        arguments: [
            ("**", true), ("http://h.example/1", true), ("h.example /1", true), ("", false), (" ", false),
            ("status:404", false), ("state:fresh", false), ("http://h.example/{a", false), ("http://i.example/**", nil),
        ] as [(String, Bool?)]
    )
    func filters(text: String, isOne: Bool?) throws {
        let filter = ReceivedChange.filter(text)
        #expect((filter != nil) == (isOne ?? true))
        let uri = try TargetURI(parsing: "http://h.example/1")
        #expect(filter?(uri) == (isOne == false ? nil : isOne ?? false))
    }
}
