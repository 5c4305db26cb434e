import HTTPCore
import Locking
import Testing

@testable import Logins

/// Logins are checked a few at a time.
@Suite struct LoginQueueTests {
    /// Threads that run a job when the test says so.
    private final class HandWorkers: Sendable {
        private let jobs = Lock<[@Sendable () -> Void]>([])

        func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
            jobs.withLock { $0.append(job) }
            return true
        }

        var count: Int { jobs.withLock { $0.count } }

        func runAll() {
            while true {
                let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                guard let job else { return }
                job()
            }
        }
    }

    private struct World {
        let workers = HandWorkers()
        let queue: LoginQueue
        let table: LoginTable
        private let verdicts = Verdicts()

        init(_ limits: LoginQueue.Limits = LoginQueue.Limits()) throws {
            queue = LoginQueue(limits: limits) { [workers] in workers.submit($0) }
            table = try LoginTable(try LoginFile(parsing: Array("alice:\(LoginFileTests.yescrypt)\n".utf8)))
        }

        func check(_ user: String, _ password: String, from client: UInt32 = 1) throws {
            try check(user, password, from: .v4(client))
        }

        func check(_ user: String, _ password: String, from client: IPAddress) throws {
            let credentials = try #require(BasicCredentials(user: Array(user.utf8), password: Array(password.utf8)))
            queue.check(credentials, of: table, from: client) { [verdicts] in verdicts.add($0) }
        }

        var all: [LoginQueue.Verdict] { verdicts.all }
    }

    private final class Verdicts: Sendable {
        private let list = Lock<[LoginQueue.Verdict]>([])
        func add(_ verdict: LoginQueue.Verdict) { list.withLock { $0.append(verdict) } }
        var all: [LoginQueue.Verdict] { list.withLock { $0 } }
    }

    @Test("requests with the same login wait for one hash, and the table remembers a right one only")
    func together() throws {
        let world = try World()
        for _ in 0..<5 { try world.check("alice", "secret") }
        for _ in 0..<5 { try world.check("alice", "wrong") }
        #expect(world.all.isEmpty && world.workers.count == 2)
        world.workers.runAll()
        #expect(world.all == Array(repeating: .right, count: 5) + Array(repeating: .wrong, count: 5))
        #expect(world.queue.statistics == LoginQueue.Statistics(hashes: 2, wrong: 1, refused: 0))
        let right = try #require(BasicCredentials(user: Array("alice".utf8), password: Array("secret".utf8)))
        let wrong = try #require(BasicCredentials(user: Array("alice".utf8), password: Array("wrong".utf8)))
        #expect(world.table.remembers(right) && !world.table.remembers(wrong))
    }

    @Test("an unknown user costs a hash as a known one does, each time")
    func unknownUsers() throws {
        let world = try World()
        for user in ["alice", "nobody", "nobody"] {
            try world.check(user, "wrong")
            world.workers.runAll()
        }
        #expect(world.all == [.wrong, .wrong, .wrong])
        #expect(world.queue.statistics == LoginQueue.Statistics(hashes: 3, wrong: 3, refused: 0))
    }

    @Test("a few are hashed at a time, the line has an end, and one client leaves room in it for others")
    func limits() throws {
        var limits = LoginQueue.Limits()
        (limits.running, limits.waiting, limits.waitingPerClient) = (1, 4, 3)
        let world = try World(limits)
        for number in 0..<6 { try world.check("alice", "wrong \(number)", from: 1) }
        #expect(world.workers.count == 1 && world.all == [.busy, .busy])
        for number in 0..<2 { try world.check("alice", "other \(number)", from: 2) }
        #expect(world.all == [.busy, .busy, .busy])
        world.workers.runAll()
        #expect(world.all == [.busy, .busy, .busy] + Array(repeating: .wrong, count: 5))
        #expect(world.queue.statistics == LoginQueue.Statistics(hashes: 5, wrong: 5, refused: 3))
        try world.check("alice", "secret", from: 1)
        world.workers.runAll()
        #expect(world.all.last == .right)
    }

    @Test("the addresses of one IPv6 network of 64 bits are one client, an address in mapped form is its IPv4 address")
    func networks() throws {
        var limits = LoginQueue.Limits()
        (limits.running, limits.waiting, limits.waitingPerClient) = (1, 8, 1)
        let world = try World(limits)
        try world.check("alice", "running", from: .v4(9))
        for low in 1...3 as ClosedRange<UInt64> { try world.check("alice", "v6 \(low)", from: .v6(7, low)) }
        #expect(world.all == [.busy, .busy])
        for address in [.v4(1), .v6(0, 0xFFFF_0000_0001), .v6(8, 1)] as [IPAddress] {
            try world.check("alice", "from \(address)", from: address)
        }
        #expect(world.all == [.busy, .busy, .busy])
        world.workers.runAll()
    }

    @Test("a login of a former list counts in a new one only if the user has the same hash there")
    func confirming() throws {
        func table(_ text: String) throws -> LoginTable {
            try LoginTable(try LoginFile(parsing: Array(text.utf8)))
        }
        let before = try table("alice:\(LoginFileTests.yescrypt)\nbob:\(LoginFileTests.gost)\n")
        let after = try table("alice:\(LoginFileTests.yescrypt)\nbob:\(LoginFileTests.yescrypt)\n")
        #expect(after.confirms(Array("alice".utf8), of: before))
        #expect(!after.confirms(Array("bob".utf8), of: before) && !after.confirms(Array("carol".utf8), of: before))
        #expect(!before.hasSameUsers(as: after) && before.hasSameUsers(as: before))
    }

    @Test("a file whose hash crypt(3) does not accept is refused")
    func unsupported() throws {
        let text = LoginFileTests.yescrypt.replacing("j9T", with: "!!!")
        #expect(throws: LoginFileFault.self) { try LoginFile(parsing: Array("alice:\(text)".utf8)) }
        let file = try LoginFile(parsing: Array("alice:\(LoginFileTests.yescrypt.replacing("j9T", with: "zzz"))".utf8))
        #expect(throws: LoginFileFault.self) { try LoginTable(file) }
    }
}

/// The value of Proxy-Authorization.
@Suite struct BasicCredentialsTests {
    private static func read(_ field: String) -> (user: String, password: String)? {
        BasicCredentials(field: Array(field.utf8)).map {
            (String(decoding: $0.user, as: UTF8.self), String(decoding: $0.password, as: UTF8.self))
        }
    }

    private static func basic(_ text: String, scheme: String = "Basic ") -> String {
        scheme + String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    @Test("the scheme is Basic in any case; the password may have colons, the padding may be missing (RFC 7617)")
    func values() throws {
        for field in ["Basic YWxpY2U6YTpi", "basic YWxpY2U6YTpi", "BASIC   YWxpY2U6YTpi"] {
            let read = try #require(Self.read(field))
            #expect(read == ("alice", "a:b"))
        }
        #expect(try #require(Self.read(Self.basic("å:ß"))) == ("å", "ß"))
        #expect(try #require(Self.read("Basic YTpi")) == ("a", "b"))
        #expect(try #require(Self.read("Basic YTpiYw")) == ("a", "bc"))
        #expect(try #require(Self.read("Basic YTpiYw==")) == ("a", "bc"))
    }

    @Test(
        "what is malformed, or can be nobody's, is no login",
        arguments: [
            "", "Basic", "Basic ", "BasicYTpi", "Bearer YTpi", "Basic YTpi YTpi", "Basic YTp!", "Basic YTpiYw=",
            "Basic YTpiYx==", "Basic =YTp", "Basic YWI=", "Digest username=\"a\"",
            "Basic \(String(decoding: Base64.encode(Array("a:b\u{0}c".utf8)), as: UTF8.self))",
            "Basic \(String(decoding: Base64.encode(Array("a\n:b".utf8)), as: UTF8.self))",
            "Basic \(String(decoding: Base64.encode(Array("a:".utf8)), as: UTF8.self))",
            "Basic \(String(decoding: Base64.encode(Array(("a:" + String(repeating: "x", count: 512)).utf8)), as: UTF8.self))",
        ]
    )
    func malformed(field: String) {
        #expect(Self.read(field) == nil)
    }
}
