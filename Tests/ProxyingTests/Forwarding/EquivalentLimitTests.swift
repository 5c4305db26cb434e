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

    private static func location(_ path: String) -> Fields {
        var fields = Fields()
        fields.append(.location, path)
        return fields
    }
}
