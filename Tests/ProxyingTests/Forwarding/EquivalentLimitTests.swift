import HTTPCore
import Testing

@testable import Proxying

@Suite("How many equivalent resources are remembered")
struct EquivalentLimitTests {
    private static func uri(_ path: String) -> TargetURI {
        TargetURI(scheme: .http, host: Array("h.example".utf8), port: 80, path: Array(path.utf8))
    }

    @Test("beyond 10,000 resources the former ones are forgotten, and the newest is known (C-24.4)")
    func limit() {
        let equivalents = EquivalentResources()
        for number in 0...10_000 {
            equivalents.note(Self.location("/r\(number)"), of: Self.uri("/q"))
        }
        #expect(equivalents.take(Self.uri("/r0")) == [])
        #expect(equivalents.take(Self.uri("/r10000")) == [Self.uri("/q")])
    }

    @Test("of one resource the last 64 questions are known, each once, until it changes (C-24.4)")
    func questions() {
        let equivalents = EquivalentResources()
        for number in 0..<70 {
            for _ in 0..<2 { equivalents.note(Self.location("/r"), of: Self.uri("/q\(number)")) }
        }
        #expect(equivalents.take(Self.uri("/r")) == (6..<70).map { Self.uri("/q\($0)") })
        #expect(equivalents.take(Self.uri("/r")) == [])
    }

    @Test("a resource is equivalent if a field names it, of the same origin, and if it is another one (C-24.4)")
    func fields() {
        let equivalents = EquivalentResources()
        for reference in [
            "/q", "http://h.example/q", "http://i.example/r", "https://h.example/r", "http://h.example:81/r",
        ] {
            equivalents.note(Self.location(reference), of: Self.uri("/q"))
        }
        for path in ["/q", "/r"] { #expect(equivalents.take(Self.uri(path)) == []) }
        var fields = Self.location("s")
        fields.append(.contentLocation, "//h.example/t")
        equivalents.note(fields, of: Self.uri("/q"))
        for path in ["/s", "/t"] { #expect(equivalents.take(Self.uri(path)) == [Self.uri("/q")]) }
    }

    private static func location(_ path: String) -> Fields {
        var fields = Fields()
        fields.append(.location, path)
        return fields
    }
}
