import HTTPCore
import Testing

@testable import SharedStorage

/// How a server and a node begin, and when they try again.
@Suite struct GreetingTests {
    private static func greeting(_ words: [String]) -> Result<Greeting, SharedFailure> {
        do throws(SharedFailure) {
            return .success(try Greeting(.list(words.map { .text($0) })))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "Redis 6.2 and later are recent enough",
        arguments: [
            ("6.2", true), ("6.2.0", true), ("6.10.1", true), ("7.0.15", true), ("10.0", true), ("6.1.9", false),
            ("6.0", false), ("5.9", false), ("7", false), ("", false), ("a.b", false),
        ]
    )
    func versions(version: String, isRecent: Bool) {
        let greeting = Self.greeting(["version", version])
        #expect(((try? greeting.get()) != nil) == isRecent)
        let shown = version.filter { $0.isNumber || $0 == "." }
        if !isRecent { #expect(greeting == .failure(.tooOld(shown))) }
    }

    @Test("a name stands before its value, and a value is no name")
    func pairs() throws {
        let greeting = try Self.greeting(["server", "version", "version", "7.0.1", "mode", "role", "role", "slave"])
            .get()
        #expect(greeting.version == "7.0.1" && !greeting.isClustered && greeting.isReplica)
        #expect(Self.greeting(["mode", "cluster", "version"]) == .failure(.noRedis("its greeting has no version")))
        #expect(Self.greeting([]) == .failure(.noRedis("its greeting has no version")))
    }

    @Test("a node of a cluster and a replica say so, in the words of each version")
    func roles() throws {
        func greeting(_ mode: String, _ role: String) throws -> Greeting {
            try Self.greeting(["version", "7.0.0", "mode", mode, "role", role]).get()
        }
        #expect(try greeting("cluster", "master").isClustered && !greeting("standalone", "master").isClustered)
        #expect(try greeting("x", "replica").isReplica && greeting("x", "slave").isReplica)
        #expect(try !greeting("x", "master").isReplica)
    }

    @Test("a version has digits and dots, twenty at most")
    func shown() throws {
        let version = "7.0\u{1B}[0m" + String(repeating: "1", count: 40)
        #expect(try Self.greeting(["version", version]).get().version == "7.00" + String(repeating: "1", count: 16))
    }

    @Test("a server without HELLO is too old, other errors refuse")
    func errors() {
        func failure(_ text: String) -> SharedFailure? {
            do throws(SharedFailure) {
                _ = try Greeting(.failure(RedisError(Array(text.utf8))))
                return nil
            } catch {
                return error
            }
        }
        #expect(failure("ERR unknown command 'HELLO'") == .tooOld("5 or earlier"))
        #expect(failure("NOAUTH x") == .refused(RedisError(Array("NOAUTH x".utf8))))
    }

    @Test("a login is part of the greeting, for the user named or the usual one")
    func login() {
        var options = ServerOptions()
        #expect(Greeting.command(options) == RedisCommand("HELLO", "2"))
        options.user = "ann"
        #expect(Greeting.command(options) == RedisCommand("HELLO", "2"))
        options.password = Array("pw".utf8)
        #expect(Greeting.command(options) == RedisCommand("HELLO", "2", "AUTH", "ann", "pw"))
        options.user = nil
        #expect(Greeting.command(options) == RedisCommand("HELLO", "2", "AUTH", "default", "pw"))
    }

    @Test("a pause doubles up to its limit, and a success begins again")
    func pauses() {
        var backOff = BackOff(first: .seconds(2), longest: .seconds(5))
        func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
        #expect(backOff.isDue(time(0)) && backOff.latest == .zero)
        backOff.fail(at: time(10))
        #expect(!backOff.isDue(time(11)) && backOff.isDue(time(12)) && backOff.latest == .seconds(2))
        backOff.fail(at: time(20))
        #expect(!backOff.isDue(time(23)) && backOff.isDue(time(24)) && backOff.latest == .seconds(4))
        backOff.fail(at: time(30))
        #expect(!backOff.isDue(time(34)) && backOff.isDue(time(35)) && backOff.latest == .seconds(5))
        backOff.succeed()
        #expect(backOff.isDue(time(30)))
        backOff.fail(at: time(40))
        #expect(backOff.latest == .seconds(2))
    }

    @Test("one asks for the map of a cluster at a time, with a rest after an answer and a growing pause after none")
    func refresh() {
        func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
        var refresh = MapRefresh(first: .seconds(2), longest: .seconds(8))
        #expect(refresh.isDue(time(0)) && refresh.begin(at: time(0)) && !refresh.begin(at: time(0)))
        refresh.succeed(at: time(1))
        #expect(refresh.isDue(time(1)) && !refresh.begin(at: time(2)) && refresh.begin(at: time(3)))
        refresh.fail(.timeout, at: time(3))
        #expect(refresh.failure == .timeout && !refresh.isDue(time(4)) && !refresh.begin(at: time(4)))
        #expect(refresh.isDue(time(5)) && refresh.begin(at: time(5)) && refresh.isDue(time(5)))
        refresh.fail(.busy, at: time(5))
        #expect(refresh.failure == .busy && !refresh.isDue(time(8)) && refresh.begin(at: time(9)))
        refresh.succeed(at: time(9))
        #expect(refresh.failure == nil)
    }

    @Test("a server has a second to let us connect, two to say something, and 32 MiB wait for it at most")
    func limits() {
        let options = ServerOptions()
        #expect(options.connectTimeout == .seconds(1) && options.silence == .seconds(2))
        #expect(options.firstPause == .milliseconds(100) && options.longestPause == .seconds(5))
        #expect(options.unsentLimit == 32 << 20 && options.replies.bytes == 32 << 20)
        #expect(options.replies.elements == 65_536)
    }
}
