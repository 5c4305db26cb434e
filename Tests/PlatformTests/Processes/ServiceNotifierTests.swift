import Glibc
import Platform
import TestSupport
import Testing

/// Notices to the service manager, in the protocol of sd_notify(3).
@Suite struct ServiceNotifierTests {
    @Test("the lines of a notice are one datagram; a line break in a value becomes a blank")
    func oneDatagram() throws {
        let notices = try NoticeSocket(in: TemporaryDirectory())
        let notifier = try #require(ServiceNotifier(address: notices.path))
        #expect(notifier.send(["READY=1", "STATUS=serving\non two addresses"]))
        #expect(notifier.send(["STOPPING=1"]))
        #expect(try notices.next() == ["READY=1", "STATUS=serving on two addresses"])
        #expect(try notices.next() == ["STOPPING=1"])
        #expect(!notices.hasNotice)
    }

    @Test("a notice that nobody takes is told as such")
    func nobody() throws {
        let directory = TemporaryDirectory()
        let notifier = try #require(ServiceNotifier(address: directory.path("none")))
        #expect(!notifier.send(["READY=1"]))
    }

    @Test(
        "an address is an absolute path or an abstract name of up to 107 bytes",
        arguments: [
            ("/a", true), ("@a", true), ("/" + String(repeating: "a", count: 106), true),
            ("", false), ("/", false), ("@", false), ("a/b", false), ("/" + String(repeating: "a", count: 107), false),
        ]
    )
    func addresses(address: String, isOne: Bool) {
        #expect((ServiceNotifier(address: address) != nil) == isOne)
    }
}
