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

        /// What the client has received since the last call.
        func receive() -> String {
            var bytes: [UInt8] = []
            for _ in 0..<8 { proxy.run { client.read(into: &bytes) } }
            return String(decoding: bytes, as: UTF8.self)
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

    @Test("the client of a miss receives nothing before the delay is over, and the response right after it")
    func delayOfMiss() throws {
        let lab = try Lab { $0.delay = .milliseconds(300) }
        lab.advance(by: .milliseconds(299))
        #expect(lab.receive().isEmpty && lab.proxy.provider.take().isEmpty)
        lab.advance(by: .milliseconds(1))
        let load = try #require(lab.proxy.provider.take().first)
        load.exchange.answer(200, [("Cache-Control", "max-age=600")], "x")
        let text = lab.receive()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nx"), "\(text)")
    }

    @Test("content leaves as fast as its rule says: every 50 ms a twentieth of the rate", arguments: [1000, 100_000])
    func rate(bytesPerSecond: Int) throws {
        let lab = try Lab { $0.bytesPerSecond = bytesPerSecond }
        let load = try #require(lab.proxy.provider.take().first)
        // As much as leaves in a tenth of a second.
        let content = String(repeating: "x", count: bytesPerSecond / 10)
        load.exchange.answer(200, [("Cache-Control", "max-age=600")], content)
        let head = lab.receive()
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"), "\(head)")
        let counts = [49, 1, 49, 1, 1000].map { milliseconds in
            lab.advance(by: .milliseconds(milliseconds))
            return lab.receive().utf8.count
        }
        #expect(counts == [0, bytesPerSecond / 20, 0, bytesPerSecond / 20, 0])
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
