import Exchanges
import HTTPCore
import JSON
import ResourceCore
import Testing

@testable import Administration

/// When a page of a listing ends before it is full.
@Suite struct PageTimeTests {
    @Test(
        "a page goes on to the next step of the store until 150 ms have passed, and ends when they have",
        arguments: [(74, 3), (75, 2), (149, 2), (150, 1)]
    )
    func ends(milliseconds: Int, steps: Int) throws {
        let store = RecordStore()
        // With a page of one resource, the first steps read 1, 2 and 4 rows.
        for number in 0..<40 { store.put(try .sample("http://h.example/\(number)")) }
        let clock = ToldClock(
            passed: { .milliseconds(milliseconds * store.listings) },
            wallPassed: { .zero }
        )
        let environment = CoreEnvironment(timekeeper: clock, hasher: PlainHasher(), store: store)
        let service = Service(name: "default", table: ResourceTable(environment: environment))
        let admin = try TestAdmin { source, _ in source.service = service }
        let page = try admin.json("/v1/resources?limit=1&filter=http://*/none")
        #expect(page["resources"]?.elements.isEmpty == true && page["next"]?.text?.hasPrefix("s") == true)
        #expect(store.listings == steps)
    }
}
