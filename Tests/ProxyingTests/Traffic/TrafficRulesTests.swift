import HTTPCore
import Locking
import Proxying
import ResourceCore
import TestSupport
import Testing

/// Rules that let requests fail.
@Suite struct TrafficRulesTests {
    @Test("a share of 0.25 fails the requests whose number is below it, and serves the others from the store")
    func share() throws {
        let numbers = Lock([0.25, 0.9, 0.24, 0.0, 0.5])
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
        let proxy = try TestProxy { setup in
            setup.chance = { numbers.withLock { $0.removeFirst() } }
        }
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.fault = TrafficRules.Fault(.status(503), share: 0.25)
        }
        let statuses = (0..<5).map { _ in proxy.ask(origin.url("/x"))?.status }
        #expect(statuses == [200, 200, 503, 503, 200])
        #expect(origin.requests.count == 1)
    }
}
