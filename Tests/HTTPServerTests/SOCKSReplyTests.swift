import HTTPCore
import Testing

@testable import HTTPServer

/// The answers of SOCKS5, byte by byte (RFC 1928 §6).
@Suite struct SOCKSReplyTests {
    @Test(
        "a status without a word of the proxy becomes a reply",
        arguments: [
            (199, 1), (200, 0), (204, 0), (299, 0), (300, 1), (402, 1), (403, 2), (404, 1), (405, 2), (406, 1),
            (407, 2), (408, 1), (420, 1), (421, 2), (422, 1), (502, 1),
        ] as [(UInt16, UInt8)]
    )
    func statuses(status: UInt16, code: UInt8) {
        #expect(SOCKSReply(status: status, error: nil).bytes == [5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(SOCKSReply(status: status, error: .httpProtocolError).rawValue == code)
    }

    @Test("a word of the proxy counts before the status")
    func words() {
        for (error, code) in [
            (.connectionRefused, 5), (.destinationIPUnroutable, 3), (.dnsError, 4), (.dnsTimeout, 4),
            (.destinationNotFound, 4), (.connectionTimeout, 4), (.destinationIPProhibited, 2), (.httpRequestDenied, 2),
            (.proxyLoopDetected, 2),
        ] as [(ProxyErrorType, UInt8)] {
            #expect(SOCKSReply(status: 200, error: error).rawValue == code, "\(error)")
        }
    }

    @Test("each fault has its name, its answer on the wire, and its sentence")
    func faults() {
        let answers: [[UInt8]] = [
            [0, 0x5B, 0, 0, 0, 0, 0, 0], [5, 1, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0xFF], [5, 7, 0, 1, 0, 0, 0, 0, 0, 0],
            [5, 8, 0, 1, 0, 0, 0, 0, 0, 0], [5, 1, 0, 1, 0, 0, 0, 0, 0, 0],
        ]
        #expect(SOCKSFault.allCases.map(\.answer) == answers)
        let names = ["version4", "version", "method", "command", "address-type", "target"]
        #expect(SOCKSFault.allCases.map(\.rawValue) == names)
        let sentences = [
            "the client speaks SOCKS4; give it a URL with socks5:// or socks5h://",
            "the client's SOCKS is not of version 5 throughout",
            "the client and this listener have no SOCKS method in common; the listener wants `no authentication`",
            "the client wants another command of SOCKS than CONNECT; BIND and UDP are not offered",
            "the client names its target by an address type that SOCKS5 does not know",
            "the target that the client names by SOCKS is no host name, no address or port 0",
        ]
        #expect(SOCKSFault.allCases.map(\.userMessage) == sentences)
    }

    @Test("where SOCKS is off no method is accepted")
    func off() {
        var handshake = SOCKSHandshake(.off)
        let bytes: [UInt8] = [5, 1, 0]
        let step = handshake.receive(bytes.span)
        #expect(step == .failed(.method))
    }

    @Test("a target by name has a port from 1 on, and bytes of host names to the last of each kind")
    func targets() {
        for (name, port, isTarget) in [
            ("az.AZ-09_", 1, true), ("az.AZ-09_", 0, false), ("a`", 1, false), ("a{", 1, false), ("a@", 1, false),
            ("a[", 1, false), ("a/", 1, false), ("a:", 1, false), ("", 1, false),
        ] as [(String, UInt16, Bool)] {
            let bytes = Array(name.utf8)
            let target = SOCKSTarget(name: bytes.span, port: port)
            #expect((target != nil) == isTarget, "\(name):\(port)")
            #expect(target?.isAddress != true && target?.host != [])
        }
        let address: [UInt8] = [192, 0, 2, 1]
        let (some, none) = (
            SOCKSTarget(address: address.span, port: 65_535), SOCKSTarget(address: address.span, port: 0)
        )
        #expect(some?.host == Array("192.0.2.1".utf8) && some?.isAddress == true && some?.port == 65_535)
        #expect(none == nil)
    }
}
