import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

@Suite struct ListenerTests {
    private func temporaryPath() -> String { "/tmp/respite-\(getpid())-\(UInt64.random(in: 0 ... .max)).sock" }

    @Test("a Unix socket has mode 0600, replaces a stale one, and is removed at the end")
    func unixSocket() throws {
        let path = temporaryPath()
        // Given a socket file that a process left over
        let stale = try SocketCalls.makeSocket(family: AF_UNIX).get()
        #expect(SocketCalls.bind(stale, to: .unix(path: path)) == nil)
        SocketCalls.close(stale)
        // When another listens there, then
        do {
            let socket = try ListeningSocket(binding: .unix(path: path))
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(socket.address == .unix(path: path))
            // And a second one is refused while it does
            #expect(throws: EventError.self) { try ListeningSocket(binding: .unix(path: path)) }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("a file that is no socket is left alone")
    func unixPathOfFile() throws {
        let path = temporaryPath()
        fclose(fopen(path, "w"))
        defer { unlink(path) }
        #expect(throws: EventError.self) { try ListeningSocket(binding: .unix(path: path)) }
        #expect(access(path, F_OK) == 0)
    }

    @Test("an address in use is an error that names it")
    func addressInUse() throws {
        let first = try ListeningSocket(binding: loopback)
        let error = #expect(throws: EventError.self) { try ListeningSocket(binding: first.address) }
        #expect(error?.userMessage.contains("\(first.address)") == true)
    }

    @Test("an address can be had without a connection that is then reset; not where another listens")
    func held() throws {
        var options = ListeningSocket.Options()
        options.acceptsConnections = false
        let holder = try ListeningSocket(binding: loopback, options: options)
        let port = try #require(holder.address.port)
        #expect(port != 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == -1 && errno == ECONNREFUSED)
        let listener = try ListeningSocket(binding: loopback)
        #expect(throws: EventError.self) { try ListeningSocket(binding: listener.address, options: options) }
    }

    @Test("loops share a port, IPv6 too")
    func sharedPort() throws {
        var options = ListeningSocket.Options()
        options.sharesPort = true
        let first = try ListeningSocket(binding: .ip(.v6(0, 1), port: 0), options: options)
        let second = try ListeningSocket(binding: first.address, options: options)
        #expect(first.address == second.address)
        #expect(first.address.port != 0)
    }

    @Test("what is accepted on loopback sends without a pace, handed-over sockets too; elsewhere the system chooses")
    func congestionControl() async throws {
        let plain = try SocketCalls.makeSocket(family: AF_INET).get()
        defer { SocketCalls.close(plain) }
        let systemsChoice = try #require(congestionControlName(of: plain))

        let anywhere = try ListeningSocket(binding: .ip(.v4(0), port: 0))
        #expect(congestionControlName(of: anywhere.descriptor) == systemsChoice)

        let handedOver = try SocketCalls.makeSocket(family: AF_INET).get()
        #expect(SocketCalls.bind(handedOver, to: loopback) == nil)
        #expect(SocketCalls.listen(handedOver, backlog: 1) == nil)
        for socket in [try ListeningSocket(adopting: handedOver), try ListeningSocket(binding: loopback)] {
            let accepted: String? = try await onLoop { loop, outcome in
                _ = Listener(loop: loop, socket: socket) { stream, _ in
                    outcome.succeed(congestionControlName(of: stream.descriptor))
                    stream.close()
                }
                _ = try connect(loop, to: socket.address)
            }
            #expect(accepted == "reno")
        }
    }

    @Test("a paused listener leaves connections to the backlog until it is resumed")
    func pauseAndResume() async throws {
        let accepted: [Int] = try await onLoop { loop, outcome in
            var count = 0
            var seen: [Int] = []
            let listener = Listener(loop: loop, socket: try ListeningSocket(binding: loopback)) { stream, _ in
                count += 1
                stream.close()
                if count == 2 { outcome.succeed(seen + [count]) }
            }
            listener.pause()
            _ = try connect(loop, to: listener.boundAddress)
            _ = try connect(loop, to: listener.boundAddress)
            loop.schedule(after: .milliseconds(30)) {
                seen.append(count)
                listener.resume()
            }
        }
        #expect(accepted == [0, 2])
    }

    @Test("without descriptors accepting pauses without a busy loop and resumes when some are free (H-156)")
    func descriptorShortage() async {
        // In a process of its own: the limit holds for all of it.
        await #expect(processExitsWith: .success) {
            let report: (turns: UInt64, shortages: Int) = try await onLoop { loop, outcome in
                var opened: [Int32] = []
                var accepted: [Stream] = []
                var report: (turns: UInt64, shortages: Int)?
                let socket = try ListeningSocket(binding: loopback)
                // A few may be accepted early: another thread may have had a descriptor open while all were taken.
                let listener = Listener(loop: loop, socket: socket) { stream, _ in
                    accepted.append(stream)
                    if let report { outcome.succeed(report) }
                }
                let clients = try (0..<20).map { _ in try SocketCalls.makeSocket(family: AF_INET).get() }
                Descriptors.setLimit(256)
                while case .success(let descriptor) = SocketCalls.makeSocket(family: AF_INET) {
                    opened.append(descriptor)
                }
                for client in clients { _ = SocketCalls.connect(client, to: socket.address) }
                let before = loop.handle.turns
                loop.schedule(after: .milliseconds(500)) {
                    report = (loop.handle.turns - before, listener.shortages)
                    for descriptor in opened { SocketCalls.close(descriptor) }
                }
            }
            guard report.turns < 50, report.shortages > 0 else { exit(1) }
        }
    }

    @Test("a reserve of descriptors is left to others (H-156)")
    func descriptorReserve() async {
        await #expect(processExitsWith: .success) {
            let left: Int = try await onLoop { loop, outcome in
                var kept: [Stream] = []
                let socket = try ListeningSocket(binding: loopback)
                Descriptors.setLimit(200)
                let listener = Listener(loop: loop, socket: socket, descriptorReserve: 40) { stream, _ in
                    kept.append(stream)
                }
                var clients: [Int32] = []
                for _ in 0..<60 {
                    guard let client = try? SocketCalls.makeSocket(family: AF_INET).get() else { break }
                    clients.append(client)
                    _ = SocketCalls.connect(client, to: socket.address)
                }
                for client in clients { SocketCalls.close(client) }
                var more: [Int32] = []
                while more.count < 100, let spare = try? SocketCalls.makeSocket(family: AF_INET).get() {
                    more.append(spare)
                }
                for spare in more { if Int(spare) > 155 { SocketCalls.close(spare) } }
                loop.schedule(after: .milliseconds(100)) {
                    guard listener.shortages > 0 else { exit(2) }
                    outcome.succeed(200 - (Descriptors.nextNumber() ?? 200))
                }
            }
            // Without a reserve none would be left; other threads of the process may hold some of it.
            guard left >= 20 else { exit(3) }
        }
    }
}
