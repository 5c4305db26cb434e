import Eventing
import Platform
import RedisSupport
import TestSupport
import Testing
import TransportSecurity

@testable import SharedStorage

@Suite("One Redis server")
struct SingleServerTests {
    @Test("commands are pipelined, and the replies come in their order")
    func pipeline() throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        #expect(try run.replies(.set("a", "1"), .get("a"), .get("b")) == [.text("OK"), .text("1"), .nothing])
        let many = (0..<1_000).map { RedisCommand.set("k\($0)", "v\($0)") }
        #expect(try run.result(many).get().count == 1_000)
        #expect(try run.replies(.get("k999")) == [.text("v999")])
    }

    @Test("a server that is prepared is connected before the first command")
    func prepared() throws {
        let connected = WaitQueue<Bool>()
        let server = TestOrigin { peer, _ in
            connected.push(true)
            while !peer.read(1).isEmpty {}
        }
        defer { server.close() }
        let run = try LoopRun(single: .host("127.0.0.1", port: server.port))
        run.onServer { $0.prepare() }
        withExtendedLifetime(run) { #expect(connected.pop() == true) }
    }

    @Test("a value of 8 MiB comes back whole")
    func large() throws {
        let redis = try RedisProcess(.plain)
        let run = try LoopRun(single: .host("127.0.0.1", port: redis.port))
        let value = String(repeating: "0123456789abcdef", count: 1 << 19)
        #expect(try run.replies(.set("a", value), .get("a"))[1] == .text(value))
    }

    @Test("a user with a password is let in by both, over TLS; the wrong one gets a clear sentence")
    func login() throws {
        let site = try TestSite()
        let redis = try RedisProcess(
            .secure(
                certificate: site.certificate.certificateFile,
                key: site.certificate.keyFile,
                authority: site.authority.certificateFile
            ),
            ["--user", "respite", "on", ">secret", "~respite:*", "+get", "+set", "+eval"]
        )
        var options = ServerOptions()
        options.security = try TLSClientContext(site.clientSettings)
        options.user = "respite"
        options.password = Array("secret".utf8)
        let address = ServerAddress.host("localhost", port: redis.port)
        let run = try LoopRun(single: address, options)
        #expect(try run.replies(.set("respite:a", "1"), .get("respite:a")) == [.text("OK"), .text("1")])
        #expect(try run.replies(.get("other"))[0].failure?.kind == .noPermission)
        options.password = Array("wrong".utf8)
        let failure = try LoopRun(single: address, options).failure(.get("respite:a"))
        #expect(failure?.userMessage.contains("shared.password-file") == true)
    }

    @Test("a certificate of another authority is refused")
    func otherAuthority() throws {
        let site = try TestSite()
        let redis = try RedisProcess(
            .secure(
                certificate: site.certificate.certificateFile,
                key: site.certificate.keyFile,
                authority: site.authority.certificateFile
            )
        )
        var options = ServerOptions()
        let stranger = try TestSite()
        options.security = try TLSClientContext(stranger.clientSettings)
        let run = try LoopRun(single: .host("localhost", port: redis.port), options)
        guard case .unreachable? = try run.failure(.get("a")) else { return #expect(Bool(false)) }
    }

    @Test("a server that wants a password says so to a client without one")
    func noPassword() throws {
        let redis = try RedisProcess(.none, ["--requirepass", "secret"])
        let run = try LoopRun(single: .socket(redis.socketPath))
        guard case .refused(let error)? = try run.failure(.get("a")) else { return #expect(Bool(false)) }
        #expect(error.kind == .passwordRequired)
    }

    @Test("a full server and a replica refuse writes with errors of their own, and reads go on")
    func refusals() throws {
        let redis = try RedisProcess(.none, ["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let run = try LoopRun(single: .socket(redis.socketPath))
        let replies = try run.replies(.set("a", "1"), .get("a"))
        #expect(replies[0].failure?.kind == .outOfMemory)
        #expect(replies[1] == .nothing)
        let replica = try RedisProcess(.none, ["--replicaof", "127.0.0.1", "1"])
        let other = try LoopRun(single: .socket(replica.socketPath))
        #expect(try other.replies(.set("a", "1"))[0].failure?.kind == .readOnly)
    }

    @Test("a server that stops gives no reply in time; the commands go on once it does")
    func paused() throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        #expect(try run.replies(.set("a", "1")) == [.text("OK")])
        redis.pause()
        #expect(try run.failure(.get("a"), within: .milliseconds(20)) == .timeout)
        redis.resume()
        // The late reply is dropped, and is not taken for the next one.
        #expect(try run.replies(.set("b", "2"), .get("b")) == [.text("OK"), .text("2")])
    }

    @Test("nobody listens: the failure comes at once while a pause lasts, and ends with a server")
    func nobody() throws {
        var options = ServerOptions()
        options.firstPause = .milliseconds(1)
        options.longestPause = .milliseconds(2)
        let port = RedisProcess.freePort()
        let run = try LoopRun(single: .host("127.0.0.1", port: port), options)
        guard case .unreachable? = try run.failure(.get("a")) else { return #expect(Bool(false)) }
    }
}
