import Testing
import TOML

@testable import Settings

/// What is known of where settings are set.
@Suite struct SettingLocationsTests {
    private static let source = SettingSource(name: "f", bytes: Array("\n\n\n".utf8))

    private static func member(_ text: String) throws -> TOMLMember {
        try #require(try TOMLDocument.parse(Array(text.utf8)).first)
    }

    /// Two settings of which the name of one begins with that of the other.
    private static func locations() throws -> SettingLocations {
        var locations = SettingLocations()
        locations.record(try member("a = [{ b = 1 }, { c = 2 }]"), as: "x.a", from: source)
        locations.record(try member("ab = { c = 1 }"), as: "x.ab", from: source)
        return locations
    }

    private static func paths(_ locations: SettingLocations) -> [String] { locations.origins.keys.sorted() }

    @Test("elements of lists and members of tables are known by their paths, each with its place")
    func places() throws {
        let locations = try Self.locations()
        #expect(
            Self.paths(locations) == ["x.a", "x.a[0]", "x.a[0].b", "x.a[1]", "x.a[1].c", "x.ab", "x.ab.c"]
        )
        #expect(locations.origins["x.a"] == .file(path: "f", line: 1, column: 1))
        #expect(locations.origins["x.a[0]"] == .file(path: "f", line: 1, column: 6))
        #expect(locations.origins["x.a[0].b"] == .file(path: "f", line: 1, column: 8))
        #expect(locations.origins["x.ab.c"] == .file(path: "f", line: 1, column: 8))
        #expect(locations["x.a[2]"] == nil && locations["a"] == nil)
    }

    @Test("a setting that is set again takes the place of all below it, and of nothing beside it")
    func replaced() throws {
        var locations = try Self.locations()
        locations.record(try Self.member("\na = [1]"), as: "x.a", from: Self.source)
        #expect(Self.paths(locations) == ["x.a", "x.a[0]", "x.ab", "x.ab.c"])
        #expect(locations.origins["x.a"] == .file(path: "f", line: 2, column: 1))
        #expect(locations.origins["x.a[0]"] == .file(path: "f", line: 2, column: 6))
    }

    @Test("what is behind earlier elements, or is added, leaves what is there")
    func added() throws {
        var locations = try Self.locations()
        locations.record(try Self.member("a = [{ d = 1 }]"), as: "x.a", from: Self.source, behind: 2)
        locations.record(try Self.member("ab = { d = 1 }"), as: "x.ab", from: Self.source, isAddition: true)
        #expect(
            Self.paths(locations) == [
                "x.a", "x.a[0]", "x.a[0].b", "x.a[1]", "x.a[1].c", "x.a[2]", "x.a[2].d", "x.ab", "x.ab.c", "x.ab.d",
            ]
        )
    }

    @Test("what is forgotten is forgotten with all below it")
    func forgotten() throws {
        var locations = try Self.locations()
        locations.forget("x.a")
        #expect(Self.paths(locations) == ["x.ab", "x.ab.c"])
        locations.forget("x.ab.c")
        #expect(Self.paths(locations) == ["x.ab"])
    }

    @Test("a mistake about what is set nowhere is reported at what contains it, or without a place")
    func nearest() throws {
        var locations = try Self.locations()
        locations.record(try Self.member("\n\na = [{}]"), as: "y", from: Self.source)
        func place(_ path: String) -> String { locations.error(at: path, "no").summary }
        #expect(place("y[0].b.c") == "f:3:6: no" && place("y[7].b") == "f:3:1: no" && place("y.b") == "f:3:1: no")
        #expect(place("x.ab.c") == "f:1:8: no")
        #expect(place("z.a") == "settings: no" && place("x") == "settings: no")
    }
}
