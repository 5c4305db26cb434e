import Glibc
import Testing
import TestSupport

/// Names that the daemon looks up at a name server.
struct NameTests {
    /// A name server by UDP, for questions about IPv4 addresses; others have no answer in them.
    private final class NameServer: Sendable {
        let port: UInt16
        private let descriptor: Int32

        /// - Parameter address: that of a name at its n-th question, from 1; nil: no answer at all.
        init(_ address: @escaping @Sendable (_ name: String, _ ordinal: Int) -> [UInt8]?) throws {
            descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var count = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, count) == 0 && getsockname(descriptor, $0, &count) == 0
                }
            }
            guard isBound else { throw HarnessError("no port for a name server") }
            port = UInt16(bigEndian: own.sin_port)
            _ = BackgroundThread { Self.serve(descriptor, address) }
        }

        deinit {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }

        private static func serve(_ descriptor: Int32, _ address: (String, Int) -> [UInt8]?) {
            var (buffer, asked) = ([UInt8](repeating: 0, count: 2048), [String: Int]())
            while true {
                var peer = sockaddr_storage()
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let count = withUnsafeMutablePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor, &buffer, buffer.count, 0, $0, &size)
                    }
                }
                guard count > 12 else { return }
                guard let answer = answer(to: Array(buffer[..<count]), &asked, address) else { continue }
                _ = withUnsafePointer(to: peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(descriptor, answer, answer.count, 0, $0, size)
                    }
                }
            }
        }

        private static func answer(
            to query: [UInt8],
            _ asked: inout [String: Int],
            _ address: (String, Int) -> [UInt8]?
        ) -> [UInt8]? {
            var (labels, index) = ([String](), 12)
            while query[index] > 0 {
                labels.append(String(decoding: query[(index + 1)...(index + Int(query[index]))], as: UTF8.self))
                index += 1 + Int(query[index])
            }
            let (name, isV4) = (labels.joined(separator: "."), query[index + 2] == 1)
            if isV4 { asked[name, default: 0] += 1 }
            guard let found = address(name, asked[name] ?? 0) else { return nil }
            // One record, to be kept for a second.
            let record: [UInt8] = isV4 ? [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4] + found : []
            return query[..<2] + [0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0] + query[12..<(index + 5)] + record
        }
    }

    private static func words(_ server: NameServer, _ more: String...) -> [String] {
        ["--set", "dns.servers=[\"127.0.0.1:\(server.port)\"]", "--set", "upstream.circuit-breaker=false"] + more
    }

    @Test("names that nobody answers stop no other name; status tells of them and of their name server")
    func deadNames() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "here") }
        let server = try NameServer { name, _ in name.hasPrefix("dead") ? nil : [127, 0, 0, 1] }
        let daemon = try DaemonProcess(Self.words(server, "--set", "access.private-names=[\"*.example\"]"))
        let waiting = try (0..<40).map { number in
            let client = try daemon.client()
            try client.socket.send("GET http://dead\(number).example/ HTTP/1.1\r\nHost: dead\(number).example\r\n\r\n")
            return client
        }
        for number in 0..<5 {
            let authority = "live\(number).example:\(origin.port)"
            let response = try daemon.client().exchange("GET", "http://\(authority)/\(number)", ["Host: \(authority)"])
            #expect(response.status == 200 && response.text == "here")
        }
        // None of the dead ones has an answer yet, and each gets one.
        for client in waiting { #expect(try client.readHead().status == 504) }
        let status = try daemon.tool("status")
        #expect(status.output.contains("name look-ups"))
        #expect(status.output.contains("name server 127.0.0.1:\(server.port) did not answer"), "\(status)")
    }

    @Test("a name that leads outward first and inward then is refused, unless it is listed (DNS rebinding)")
    func rebinding() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: no-store"], body: "here") }
        // The first address is a public one that nobody has (RFC 5737).
        let server = try NameServer { _, ordinal in ordinal == 1 ? [192, 0, 2, 1] : [127, 0, 0, 1] }
        let daemon = try DaemonProcess(
            Self.words(
                server,
                "--set",
                "access.private-names=[\"*.listed\"]",
                "--set",
                "upstream.connect-timeout=300ms"
            )
        )
        func ask(_ name: String, _ path: String) throws -> Int {
            let authority = "\(name):\(origin.port)"
            return try daemon.client().exchange("GET", "http://\(authority)\(path)", ["Host: \(authority)"]).status
        }
        for (name, expected) in [("evil.example", 403), ("good.listed", 200)] {
            #expect(try ask(name, "/first") != 200)
            // The first answer, and the failure that came of it, hold for a second.
            var attempts = 0
            try askAgain(for: "status \(expected) for \(name)") {
                attempts += 1
                return try ask(name, "/\(attempts)")
            } until: {
                $0 == expected
            }
        }
        #expect(origin.requests.allSatisfy { $0["Host"]?.hasPrefix("good.listed") == true })
    }

    @Test("with `dns.resolver = \"system\"` no name server of ours is asked")
    func system() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "here") }
        let server = try NameServer { _, _ in nil }
        let daemon = try DaemonProcess(Self.words(server, "--set", "dns.resolver=system"))
        let authority = "localhost:\(origin.port)"
        #expect(try daemon.client().exchange("GET", "http://\(authority)/", ["Host: \(authority)"]).status == 200)
        #expect(try !daemon.tool("status").output.contains("name server"))
    }
}
