import Glibc
import HTTPCore
import Platform
import Testing
import TestSupport

@testable import Eventing

/// What is said of an address that cannot be listened on.
@Suite struct ListenFailureTests {
    @Test(
        "the remedy fits the reason, and names the setting",
        arguments: [
            (EADDRINUSE, 3128, "change `listen` or stop the other process"),
            (EACCES, 80, "ports below 1024 are root's: use a port above in `listen`"),
            (EACCES, 1023, "ports below 1024 are root's"), (EACCES, 1024, "; change `listen`"),
            (EACCES, 80, "CAP_NET_BIND_SERVICE"), (EACCES, 80, "`ListenStream=`"),
            (EADDRNOTAVAIL, 3128, "this machine does not have this address; change `listen`"),
        ] as [(Int32, UInt16, String)]
    )
    func remedies(code: Int32, port: UInt16, remedy: String) {
        let address = SocketAddress.ip(.v4(0x7F00_0001), port: port)
        let error = ListenFailure.error(address, SystemError(code), setting: "listen")
        #expect(error.userMessage.hasPrefix("cannot listen on 127.0.0.1:\(port): \(SystemError(code).reason); "))
        #expect(error.userMessage.contains(remedy), "\(error.userMessage)")
    }

    @Test("an address that is taken, or that another machine has, is told with the setting that names it")
    func real() throws {
        let first = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        var options = ListeningSocket.Options()
        options.setting = "admin"
        let taken = try #require(throws: EventError.self) {
            _ = try ListeningSocket(binding: first.address, options: options)
        }
        #expect(taken.userMessage.hasSuffix("; change `admin` or stop the other process"))
        // An address for documentation (RFC 5737).
        let foreign = try #require(throws: EventError.self) {
            _ = try ListeningSocket(binding: .ip(.v4(0xC000_0201), port: 0))
        }
        #expect(foreign.userMessage.hasSuffix("this machine does not have this address; change `listen`"))
        let path = TemporaryDirectory().path("none/socket")
        let missing = try #require(throws: EventError.self) { _ = try ListeningSocket(binding: .unix(path: path)) }
        #expect(missing.userMessage.hasSuffix("its directory does not exist; make it, or change `listen`"))
    }
}
