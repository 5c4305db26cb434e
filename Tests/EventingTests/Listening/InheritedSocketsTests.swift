import Glibc
import HTTPCore
import Testing

@testable import Eventing

/// Sockets that the service manager has opened for us.
@Suite struct InheritedSocketsTests {
    @Test("descriptors are listeners, each for its name, if they were meant for this process")
    func adopting() async {
        // In a process of its own, whose descriptors are replaced: not 3 to 5, which may be those of the testing library.
        await #expect(processExitsWith: .success) {
            func listen(at descriptor: Int32) throws -> SocketAddress {
                let made = try SocketCalls.makeSocket(family: AF_INET).get()
                guard SocketCalls.bind(made, to: loopback) == nil, SocketCalls.listen(made, backlog: 1) == nil else {
                    exit(2)
                }
                guard let address = SocketCalls.localAddress(made) else { exit(12) }
                guard dup2(made, descriptor) == descriptor else { exit(3) }
                if made != descriptor { close(made) }
                return address
            }
            let (first, second, third) = (try listen(at: 103), try listen(at: 104), try listen(at: 105))
            let own = "\(getpid())"
            for (process, count) in [("1", "3"), ("x", "3"), ("", "3"), (own, "0"), (own, "65"), (own, "x")] {
                let none = try InheritedSockets(environment: ["LISTEN_PID": process, "LISTEN_FDS": count], from: 103)
                guard none.proxy.isEmpty, none.administration.isEmpty else { exit(4) }
            }
            guard try InheritedSockets(environment: [:]).proxy.isEmpty else { exit(5) }
            let names = ["LISTEN_PID": own, "LISTEN_FDS": "3", "LISTEN_FDNAMES": ":admin"]
            do {
                let sockets = try InheritedSockets(environment: names, from: 103)
                withExtendedLifetime(sockets) {
                    guard sockets.proxy.map(\.address) == [first, third] else { exit(6) }
                    guard sockets.administration.map(\.address) == [second] else { exit(7) }
                    guard fcntl(104, F_GETFD) & FD_CLOEXEC != 0, fcntl(104, F_GETFL) & O_NONBLOCK != 0 else { exit(8) }
                }
            }
            let plain = try SocketCalls.makeSocket(family: AF_INET).get()
            guard dup2(plain, 103) == 103 else { exit(9) }
            do throws(EventError) {
                _ = try InheritedSockets(environment: ["LISTEN_PID": own, "LISTEN_FDS": "1"], from: 103)
                exit(10)
            } catch {
                guard error.code == .cannotListen, error.userMessage.hasPrefix("descriptor 103 of LISTEN_FDS") else {
                    exit(11)
                }
            }
        }
    }
}
