import Configurations
import Eventing
import HTTPCore
import HTTPServer
import TestSupport
import Testing
import TransportSecurity

@testable import Proxying

/// How long a tunnel that is opened here waits for the client's first bytes, by a clock that the test moves.
@Suite struct OpeningTunnelTests {
    /// A far end, and a client whose CONNECT to it has been answered.
    private final class Lab {
        let far: TestOrigin
        let client: QuietConnection
        /// A value for each connection that the far end has got.
        let accepted = WaitQueue<Bool>()
        private let proxy: QuietProxy
        private let directory = TemporaryDirectory()

        /// - Parameters:
        ///   - isIntercepted: whether TLS of the client is to end here.
        ///   - servesHTTP: whether plain HTTP in the tunnel is.
        init(isIntercepted: Bool = true, servesHTTP: Bool = false) throws {
            let far = TestOrigin { [accepted] peer, _ in
                accepted.push(true)
                _ = peer.readAll()
            }
            self.far = far
            let authority = try CertificateAuthority.make(name: "Lab", days: 2, at: HTTPDate.now)
            let interception = Interception(
                hosts: [try HostPattern("127.0.0.1:\(far.port)")],
                context: try TLSMintingContext(try CertificateMint(authority)),
                refusals: CertificateRefusals()
            )
            var configuration = Configuration()
            configuration.servesTunnelledHTTP = servesHTTP
            proxy = try QuietProxy(in: directory, store: nil, configuration: configuration) { options in
                options.connectPorts = [far.port]
                options.interception = isIntercepted ? interception : nil
            }
            client = QuietConnection(proxy.path)
            let target = "127.0.0.1:\(far.port)"
            send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
            var bytes: [UInt8] = []
            _ = client.read(into: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        }

        /// Runs all that is to do now.
        func run() { for _ in 0..<8 { proxy.run() } }

        func send(_ text: String) {
            client.send(text)
            run()
        }

        func endSending() {
            client.endSending()
            run()
        }

        func advance(by milliseconds: Int) {
            proxy.advance(by: .milliseconds(milliseconds))
            run()
        }
    }

    @Test("a hello has the time of a handshake from its first byte on, and is then given up, not passed on")
    func hello() throws {
        let lab = try Lab()
        lab.advance(by: 9_000)
        lab.send("\u{16}")
        lab.advance(by: 9_000)
        lab.send("\u{3}")
        #expect(lab.client.isOpen)
        lab.advance(by: 900)
        #expect(lab.client.isOpen)
        lab.advance(by: 300)
        #expect(!lab.client.isOpen && lab.far.connections == 0)
    }

    @Test(
        "a hello that its client cuts off ends the connection, and is not passed on",
        arguments: ["\u{16}", "\u{16}\u{3}\u{1}"]
    )
    func cutHello(bytes: String) throws {
        let lab = try Lab()
        lab.send(bytes)
        #expect(lab.client.isOpen)
        lab.endSending()
        #expect(!lab.client.isOpen && lab.far.connections == 0)
    }

    @Test("a client that says nothing where TLS is expected gets its tunnel after the time of a handshake")
    func silence() throws {
        let lab = try Lab()
        lab.advance(by: 9_900)
        #expect(lab.client.isOpen && lab.far.connections == 0)
        lab.advance(by: 300)
        #expect(lab.accepted.pop() == true && lab.client.isOpen)
    }

    @Test("a client that says nothing where HTTP is served gets its tunnel after a second")
    func shortSilence() throws {
        let lab = try Lab(isIntercepted: false, servesHTTP: true)
        lab.advance(by: 900)
        #expect(lab.client.isOpen && lab.far.connections == 0)
        lab.advance(by: 300)
        #expect(lab.accepted.pop() == true && lab.client.isOpen)
    }
}
