import HTTPCore
import Testing

@testable import HTTPServer

/// What the messages of a client of SOCKS5 mean (RFC 1928).
@Suite struct SOCKSHandshakeTests {
    /// How an opening went.
    private struct Course: Equatable {
        var sent: [UInt8] = []
        var used = 0
        var target: SOCKSTarget?
        var fault: SOCKSFault?
    }

    /// Shows the input up to each border in turn, unused bytes again each time, as a connection does.
    private static func run(_ bytes: [UInt8], borders: [Int], _ access: SOCKSAccess = .open) -> Course {
        var handshake = SOCKSHandshake(access)
        var course = Course()
        for border in borders {
            reading: while true {
                switch handshake.receive(bytes.span.extracting(course.used..<border)) {
                case .needMore: break reading
                case .answer(let consumed, let send):
                    course.used += consumed
                    course.sent += send
                case .connect(let consumed, let target):
                    course.used += consumed
                    course.target = target
                    return course
                case .failed(let fault):
                    course.fault = fault
                    return course
                }
            }
        }
        return course
    }

    /// Runs whole and byte by byte, which must make no difference.
    private static func run(_ bytes: [UInt8], _ access: SOCKSAccess = .open) -> Course {
        let whole = run(bytes, borders: [bytes.count], access)
        #expect(whole == run(bytes, borders: Array(0...bytes.count), access))
        for border in bytes.indices { #expect(whole == run(bytes, borders: [border, bytes.count], access)) }
        return whole
    }

    @Test(
        "a target is a name, an IPv4 or an IPv6 address, and a name that is an address is one",
        arguments: [
            (SOCKSBytes.name("Example.org"), "Example.org", false), ([1, 192, 0, 2, 1], "192.0.2.1", true),
            ([4, 0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], "[2001:db8::1]", true),
            ([4] + [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1], "10.0.0.1", true),
            (SOCKSBytes.name("127.0.0.1"), "127.0.0.1", true), (SOCKSBytes.name("::1"), "[::1]", true),
            (SOCKSBytes.name("[::1]"), "[::1]", true), (SOCKSBytes.name("a_b.c-d."), "a_b.c-d.", false),
            (SOCKSBytes.name(String(repeating: "a", count: 255)), String(repeating: "a", count: 255), false),
        ] as [([UInt8], String, Bool)]
    )
    func targets(address: [UInt8], host: String, isAddress: Bool) {
        let request = SOCKSBytes.request(address, port: 0xABCD)
        let course = Self.run(SOCKSBytes.greeting + request)
        #expect(course.sent == SOCKSBytes.accepted && course.used == 3 + request.count)
        #expect(course.target.map { String(decoding: $0.host, as: UTF8.self) } == host)
        #expect(course.target?.port == 0xABCD && course.target?.isAddress == isAddress)
    }

    @Test("bytes behind the request are not consumed")
    func bytesBehind() {
        let opening = SOCKSBytes.greeting + SOCKSBytes.request([1, 1, 2, 3, 4], port: 443)
        #expect(Self.run(opening + [5, 1, 0, 5]).used == opening.count)
    }

    @Test("of many methods the one without login is chosen")
    func methods() {
        let course = Self.run([5, 255] + [UInt8](1...254) + [0] + SOCKSBytes.request([1, 1, 2, 3, 4], port: 1))
        #expect(course.sent == SOCKSBytes.accepted && course.target != nil)
    }

    @Test(
        "every malformed message has its fault",
        arguments: [
            ([4, 1, 0, 80, 1, 2, 3, 4, 0], .version4), ([6, 1, 0], .version), ([5, 0], .method), ([5, 1, 2], .method),
            ([5, 3, 1, 2, 0xFF], .method), ([5, 1, 0, 4], .version), ([5, 1, 0, 0], .version),
            ([5, 1, 0, 5, 0], .command), ([5, 1, 0, 5, 2], .command), ([5, 1, 0, 5, 3], .command),
            ([5, 1, 0, 5, 0xFF], .command), ([5, 1, 0, 5, 1, 0, 0], .addressType),
            ([5, 1, 0, 5, 1, 0, 2], .addressType),
            ([5, 1, 0, 5, 1, 0, 5], .addressType), ([5, 1, 0, 5, 1, 0, 3, 0, 0, 80], .target),
            ([5, 1, 0, 5, 1, 0, 1, 1, 2, 3, 4, 0, 0], .target), ([5, 1, 0, 5, 1, 0, 3, 1, 0x61, 0, 0], .target),
        ] as [([UInt8], SOCKSFault)]
    )
    func faults(bytes: [UInt8], fault: SOCKSFault) {
        #expect(Self.run(bytes).fault == fault)
    }

    @Test(
        "a name with other bytes than those of host names is refused",
        arguments: [
            "a\0b", "a b", "a\r\nX: y", "a/b", "a:80", "a@b", "ä.example", "a,b", "[::1", "%61", "a\u{7F}", " ",
        ]
    )
    func names(name: String) {
        #expect(
            Self.run(SOCKSBytes.greeting + SOCKSBytes.request(SOCKSBytes.name(name), port: 443)).fault == .target
        )
    }

    @Test("a host that resolvers read differently becomes no CONNECT", arguments: ["1.2.3", "0x7f.1", "0177.0.0.1"])
    func ambiguousHosts(host: String) {
        let bytes = Array(host.utf8)
        let target = SOCKSTarget(name: bytes.span, port: 443)
        #expect(target != nil && target.flatMap { RequestHead(connectingTo: $0) } == nil)
    }

    @Test("where login is required no method is offered")
    func login() { #expect(Self.run([5, 2, 0, 2], .withLogin).fault == .method) }

    @Test(
        "a reply says what went wrong",
        arguments: [
            (200, nil, .succeeded), (403, nil, .notAllowed), (403, .destinationIPProhibited, .notAllowed),
            (405, .httpRequestDenied, .notAllowed), (508, .proxyLoopDetected, .notAllowed),
            (502, .connectionRefused, .connectionRefused), (502, .destinationIPUnroutable, .networkUnreachable),
            (502, .dnsError, .hostUnreachable), (504, .dnsTimeout, .hostUnreachable),
            (504, .connectionTimeout, .hostUnreachable), (504, .proxyInternalResponse, .failed), (400, nil, .failed),
        ] as [(UInt16, ProxyErrorType?, SOCKSReply)]
    )
    func replies(status: UInt16, error: ProxyErrorType?, reply: SOCKSReply) {
        #expect(SOCKSReply(status: status, error: error) == reply)
    }
}
