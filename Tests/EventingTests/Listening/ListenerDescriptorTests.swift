import Glibc
import Platform
import TestSupport
import Testing

@testable import Eventing

/// A listener's own descriptor.
@Suite struct ListenerDescriptorTests {
    @Test("a listener may have descriptor 0, and accepts again after descriptors were short (H-156)")
    func descriptorZero() async {
        // In a child process: it gives up standard input, and lowers the limit of descriptors.
        await #expect(processExitsWith: .success) {
            let manual = try ManualLoop()
            let directory = TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let bound = try ListeningSocket(binding: .unix(path: directory.path("socket")))
            guard dup2(bound.descriptor, 0) == 0 else { exit(1) }
            var accepted = 0
            let listener = Listener(loop: manual.loop, socket: try ListeningSocket(adopting: 0)) { stream, _ in
                accepted += 1
                stream.close()
            }
            func connect() throws {
                let client = try SocketCalls.makeSocket(family: AF_UNIX).get()
                defer { SocketCalls.close(client) }
                guard SocketCalls.connect(client, to: bound.address) == .done else { throw SystemError(errno) }
            }
            let limit = Descriptors.limit
            try connect()
            Descriptors.setLimit(0)
            manual.turn()
            guard listener.shortages == 1, !listener.watchesReads, accepted == 0 else { exit(2) }
            Descriptors.setLimit(limit)
            manual.advance(by: .milliseconds(200))
            guard listener.watchesReads, accepted == 1 else { exit(3) }
            try connect()
            manual.turn()
            guard accepted == 2 else { exit(4) }
        }
    }
}
