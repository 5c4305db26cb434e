import Configurations
import ResourceCore
import TestSupport
import Testing

@testable import Proxying

/// When rules let requests wait, by a clock that the test moves.
@Suite struct TrafficClockTests {
    /// A proxy with these rules for all, and a client whose request has been read.
    private final class Lab {
        let proxy: QuietProxy
        let client: QuietConnection
        private let directory = TemporaryDirectory()

        init(_ change: (inout TrafficRules) -> Void) throws {
            proxy = try QuietProxy(in: directory, store: nil, configuration: Configuration())
            proxy.service?.reconfigure { list in
                list.actsOnRequests = true
                change(&list.defaults.traffic)
            }
            client = QuietConnection(proxy.path)
            client.send("GET http://origin.example/a HTTP/1.1\r\nHost: origin.example\r\n\r\n")
            run()
        }

        func run() { for _ in 0..<8 { proxy.run() } }

        func advance(by duration: Duration) {
            proxy.advance(by: duration)
            run()
        }
    }

    @Test("a delay is as long as its rule says, and the request goes on then")
    func delay() throws {
        let lab = try Lab { $0.delay = .milliseconds(1500) }
        lab.advance(by: .milliseconds(1499))
        #expect(lab.proxy.provider.take().isEmpty && lab.client.isOpen)
        lab.advance(by: .milliseconds(1))
        #expect(lab.proxy.provider.take().count == 1 && lab.client.isOpen)
    }

    @Test("a request that is to get no response is cut off after ten minutes")
    func silence() throws {
        let lab = try Lab { $0.fault = TrafficRules.Fault(.timeout, share: 1) }
        lab.advance(by: .milliseconds(599_900))
        #expect(lab.client.isOpen)
        lab.advance(by: .milliseconds(100))
        #expect(!lab.client.isOpen && lab.proxy.provider.take().isEmpty)
    }
}
