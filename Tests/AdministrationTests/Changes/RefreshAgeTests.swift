import Exchanges
import HTTPCore
import ResourceCore
import TestSupport
import Testing

@testable import Administration

/// What `ifOlderThan` of a refresh makes of the time since the last load.
@Suite struct RefreshAgeTests {
    private static let uri = "http://h.example/1"

    /// An admin API whose wall clock a test moves, and its service, which has no network.
    private struct Aged {
        let wall = SharedValue(Duration.zero)
        let service: Service
        let admin: TestAdmin

        init() throws {
            let wall = wall
            let clock = ToldClock(passed: { .zero }, wallPassed: { wall.current })
            let environment = CoreEnvironment(timekeeper: clock, hasher: PlainHasher(), store: nil)
            let service = Service(name: "default", table: ResourceTable(environment: environment))
            self.service = service
            admin = try TestAdmin { source, _ in source.service = service }
        }

        func refresh(ifOlderThan age: Int) throws -> Answer {
            try admin.post("/v1/refresh", "{\"uri\":\"\(RefreshAgeTests.uri)\",\"ifOlderThan\":\(age)}")
        }
    }

    private static func recent(_ age: Int) -> String {
        "{\"uri\":\"\(uri)\",\"result\":\"recent\",\"ageSeconds\":\(age)}\n"
    }

    @Test("what is as old as ifOlderThan is loaded, what is younger is told with its age")
    func ages() throws {
        let aged = try Aged()
        let held = aged.service.resource(for: try TargetURI(parsing: Self.uri))
        held.overrideLocalData(Array("a".utf8), fields: Fields())
        aged.wall.update { $0 = .seconds(7) }
        #expect(try aged.refresh(ifOlderThan: 8).text == Self.recent(7))
        #expect(try aged.refresh(ifOlderThan: 7).status == 502)
        withExtendedLifetime(held) {}
    }

    @Test("the age counts from a load that failed, too")
    func failed() throws {
        let aged = try Aged()
        aged.service.defaultProvider = PromptProvider { _ in .failure(.connectionRefused) }
        let held = aged.service.resource(for: try TargetURI(parsing: Self.uri))
        #expect(try aged.refresh(ifOlderThan: 5).status == 502)
        aged.wall.update { $0 = .seconds(7) }
        #expect(try aged.refresh(ifOlderThan: 8).text == Self.recent(7))
        withExtendedLifetime(held) {}
    }

    @Test("after the wall clock was set back, a load counts as one of this moment")
    func setBack() throws {
        let aged = try Aged()
        let held = aged.service.resource(for: try TargetURI(parsing: Self.uri))
        held.overrideLocalData(Array("a".utf8), fields: Fields())
        aged.wall.update { $0 = .seconds(-7) }
        #expect(try aged.refresh(ifOlderThan: 1).text == Self.recent(0))
        withExtendedLifetime(held) {}
    }
}
