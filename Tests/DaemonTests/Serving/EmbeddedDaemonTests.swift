import CommandSyntax
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// A daemon in this process, as `respite run` has it.
@Suite struct EmbeddedDaemonTests {
    @Test("finish returns once the exchanges in progress are done, and not before (H-153)")
    func finish() throws {
        // Given an exchange whose origin has not answered
        let (asked, mayAnswer) = (WaitQueue<Bool>(), WaitQueue<Bool>())
        let isAnswered = SharedValue(false)
        let origin = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            asked.push(true)
            _ = mayAnswer.pop()
            isAnswered.update { $0 = true }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let directory = TemporaryDirectory()
        let words = [
            "serve", "--config", try directory.write("", to: "respite.toml"), "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--set", "admin-token-file=\(directory.path("token"))", "--store", "none",
        ]
        let daemon = try EmbeddedDaemon(try ParsedCommand.parse(words), isSilent: true)
        let port = try #require(daemon.listeners.first.flatMap { UInt16($0.split(separator: ":").last ?? "") })
        let client = RawClient(port: port)
        client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\r\n")
        #expect(asked.pop() == true)
        // When the daemon is to end; the origin answers once nobody can connect any more
        BackgroundThread {
            while (try? TestSocket(port: port)) != nil {}
            mayAnswer.push(true)
        }
        daemon.finish()
        // Then the exchange is complete
        #expect(isAnswered.current)
        #expect(client.receiveAll().text.hasSuffix("\r\n\r\nok"))
        #expect(daemon.traffic.requests == 1)
    }

    @Test("an embedded daemon opens no Unix socket for the admin API")
    func withoutSocket() throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let store = directory.directory("store")
        let words = [
            "serve", "--config", try directory.write("", to: "respite.toml"), "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--store", store,
        ]
        let daemon = try EmbeddedDaemon(try ParsedCommand.parse(words), isSilent: true)
        defer { daemon.finish() }
        #expect(SmallFile.exists("\(store)/admin-token") && !SmallFile.exists("\(store)/admin.sock"))
    }
}
