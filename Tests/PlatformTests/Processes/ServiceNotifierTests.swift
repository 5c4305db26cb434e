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

    @Test("an address with an at sign is an abstract name, which no file has")
    func abstractName() throws {
        let name = "respite-test-\(UInt64.random(in: .min ... .max))"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The first byte of such a name is 0.
        withUnsafeMutableBytes(of: &address.sun_path) { raw in
            UnsafeMutableRawBufferPointer(rebasing: raw[1...]).copyBytes(from: name.utf8)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
        let notifier = try #require(ServiceNotifier(address: "@\(name)"))
        try #require(notifier.send(["READY=1"]))
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        #expect(Array(buffer.prefix(max(0, count))) == Array("READY=1".utf8))
    }
}
