import Glibc
import HTTPCore
import Locking
import Platform
import Testing

@testable import Eventing

/// Names by name servers, on the loops.
@Suite struct NameResolverTests {
    private typealias Reply = FakeNameServer.Reply
    private static let here = IPAddress.v4(0x7F00_0001)

    /// A file of the system, made for one test.
    private final class File {
        let path: String

        init(_ text: String) throws {
            var template = Array("/tmp/respite-names-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            close(descriptor)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try replace(text)
        }

        /// Another file in its place, as programs do that write such files.
        func replace(_ text: String) throws {
            let file = try #require(fopen(path + ".new", "w"))
            fputs(text, file)
            fclose(file)
            try #require(rename(path + ".new", path) == 0)
        }

        deinit { unlink(path) }
    }

    /// What a resolver of a test stands among.
    private final class Lab {
        let workers: WorkerPool
        let hosts: File
        let sources: File
        var options = NameResolver.Options()
        let system = Counter()

        init(_ servers: [FakeNameServer] = [], hosts text: String = "", sources line: String = "files dns") throws {
            workers = try WorkerPool(count: 4)
            hosts = try File(text)
            sources = try File("passwd: files\nhosts:  \(line)\n")
            options.servers = servers.map(\.address)
            options.tryTime = .milliseconds(400)
            options.hostsPath = hosts.path
            options.switchPath = sources.path
            options.resolvPath = "/nonexistent"
        }

        func makeResolver() -> NameResolver {
            NameResolver(workers: workers, options: options) { [system] name in
                system.increment()
                return name.hasPrefix("missing") ? .failure(.notFound) : .success([.v4(99)])
            }
        }

        deinit { workers.stop() }
    }

    private static func look(
        _ resolver: NameResolver,
        _ name: String,
        for asker: NameAsker = NameAsker()
    ) async throws -> NameResolver.Resolution {
        try await onLoop { loop, outcome in
            resolver.resolve(Array(name.utf8), for: asker, on: loop) { outcome.succeed($0) }
        }
    }

    private static func found(_ addresses: [IPAddress], _ source: ResolvedName.Source) -> NameResolver.Resolution {
        .success(ResolvedName(addresses: addresses, source: source))
    }

    // MARK: What name servers say

    @Test("addresses of both families come from the name server, by aliases too; a name without any has none")
    func answers() async throws {
        let server = try FakeNameServer { name, isV6 in
            switch name {
            case "four.example": Reply(v4: [1, 2])
            case "six.example": Reply(v6: [(5, 6)])
            case "alias.example": Reply(v4: [7], alias: "target.example")
            case "empty.example": Reply()
            case "broken.example": Reply(code: 2)
            default: Reply(code: 3)
            }
        }
        let lab = try Lab([server])
        let resolver = lab.makeResolver()
        let four = try await Self.look(resolver, "Four.Example.").get()
        #expect(Set(four.addresses) == [.v4(1), .v4(2)] && four.source == .dns)
        #expect(try await Self.look(resolver, "six.example") == Self.found([.v6(5, 6)], .dns))
        #expect(try await Self.look(resolver, "alias.example") == Self.found([.v4(7)], .dns))
        #expect(try await Self.look(resolver, "empty.example") == .failure(.notFound))
        #expect(try await Self.look(resolver, "none.example") == .failure(.notFound))
        #expect(try await Self.look(resolver, "broken.example") == .failure(.failed))
        #expect(lab.system.value == 0)
    }

    @Test("a look-up that has ended is released while its loop runs on", arguments: ["known.example", "none.example"])
    func releasedQuery(name: String) async throws {
        final class Watch {
            weak var query: DNSQuery?
        }
        let server = try FakeNameServer { name, _ in name == "known.example" ? Reply(v4: [1]) : Reply(code: 3) }
        var configuration = ResolverConfiguration()
        configuration.servers = [server.address]
        let isReleased = try await onLoop { [configuration] (loop, outcome: Outcome<Bool>) in
            let watch = Watch()
            let query = DNSQuery(loop: loop, configuration: configuration, counters: NameServerCounters())
            watch.query = query
            query.start(name, limit: .seconds(20)) { _ in
                // In a later turn, when nothing of this one keeps it.
                loop.schedule(after: .zero) { outcome.succeed(watch.query == nil) }
            }
        }
        #expect(isReleased)
    }

    @Test("an answer too large for a datagram is fetched by TCP")
    func truncated() async throws {
        let server = try FakeNameServer { _, isV6 in
            isV6 ? Reply() : Reply(v4: Array(100..<164), isTruncated: true)
        }
        let found = try await Self.look(try Lab([server]).makeResolver(), "large.example").get()
        #expect(Set(found.addresses) == Set((100..<164).map { .v4($0) }))
        #expect(server.questionsByTCP == 1)
    }

    @Test("garbage, answers of another identifier and to another question are passed over")
    func spoofed() async throws {
        let garbage: [[UInt8]] = [[], [1], [0, 0, 0x81], Array(repeating: 0xFF, count: 600)]
        let server = try FakeNameServer { _, isV6 in
            isV6 ? Reply() : Reply(v4: [8], garbage: garbage, isSpoofed: true)
        }
        let answer = try await Self.look(try Lab([server]).makeResolver(), "true.example")
        #expect(answer == Self.found([.v4(8)], .dns))
    }

    @Test("a server that is silent gives way to the next one")
    func secondServer() async throws {
        let silent = try FakeNameServer { _, _ in nil }
        let good = try FakeNameServer { _, isV6 in isV6 ? Reply() : Reply(v4: [9]) }
        let resolver = try Lab([silent, good]).makeResolver()
        for number in 0..<3 {
            #expect(try await Self.look(resolver, "name\(number).example") == Self.found([.v4(9)], .dns))
        }
        let statistics = resolver.statistics.servers
        #expect(statistics.map(\.address) == [silent.address, good.address])
        #expect(statistics[0].timeouts >= 3 && statistics[0].answers == 0 && statistics[0].typicalTime == nil)
        #expect(statistics[0].complaint?.contains("did not answer") == true)
        #expect(statistics[1].answers == statistics[1].questions && statistics[1].complaint == nil)
        // Silent three times: the other is asked first, and it alone.
        let asked = silent.asked.count
        #expect(try await Self.look(resolver, "later.example") == Self.found([.v4(9)], .dns))
        #expect(silent.asked.count == asked)
    }

    // MARK: Nobody stops the others

    @Test("40 names that nobody answers stop neither new names nor localhost")
    func deadNames() async throws {
        let server = try FakeNameServer { name, isV6 in
            name.hasPrefix("dead") ? nil : isV6 ? Reply() : Reply(v4: [3])
        }
        let lab = try Lab([server])
        lab.options.tryTime = .seconds(60)
        lab.options.timeLimit = .seconds(60)
        let resolver = lab.makeResolver()
        let (answers, ended): ([NameResolver.Resolution], Int) = try await onLoop { loop, outcome in
            var ended = 0
            for number in 0..<40 { resolver.resolve(Array("dead\(number).example".utf8), on: loop) { _ in ended += 1 } }
            resolver.resolve(Array("live.example".utf8), on: loop) { live in
                resolver.resolve(Array("localhost".utf8), on: loop) { local in
                    outcome.succeed(([live, local], ended))
                }
            }
        }
        #expect(answers == [Self.found([.v4(3)], .dns), Self.found([.v6(0, 1), Self.here], .localhost)])
        // All others still wait.
        #expect(ended == 0)
    }

    @Test("one client's flood leaves room for another's names, one page's for another page's")
    func shares() async throws {
        let server = try FakeNameServer { name, isV6 in
            name.hasPrefix("dead") ? nil : isV6 ? Reply() : Reply(v4: [3])
        }
        let lab = try Lab([server])
        lab.options.limit = 8
        let resolver = lab.makeResolver()
        let flooding = NameAsker(client: .v4(1), page: Array("bad.example".utf8))
        for other in [NameAsker(client: .v4(2)), NameAsker(client: .v4(1), page: Array("good.example".utf8))] {
            let (busy, answer): (Int, NameResolver.Resolution) = try await onLoop { loop, outcome in
                var busy = 0
                for number in 0..<40 {
                    resolver.resolve(Array("dead\(other.page.count)-\(number).example".utf8), for: flooding, on: loop) {
                        answer in
                        if answer == .failure(.busy) { busy += 1 }
                    }
                }
                resolver.resolve(Array("live\(other.page.count).example".utf8), for: other, on: loop) { answer in
                    outcome.succeed((busy, answer))
                }
            }
            #expect(busy >= 32)
            #expect(answer == Self.found([.v4(3)], .dns))
        }
        #expect(resolver.statistics.refused >= 64)
    }

    @Test("a flood under many pages' names leaves room for another page once its look-ups take long")
    func manyPages() {
        var table = LookUpTable(limit: 8)
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        func join(_ name: String, page: String, client: UInt32 = 1, after delay: Duration) -> String {
            let asker = NameAsker(client: .v4(client), page: Array(page.utf8))
            let number = UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) })
            let waiter = LookUpTable.Waiter(asker: asker) { _ in }
            switch table.join(name, number, waiter, hasLastGood: false, now: start + delay) {
            case .start(_, nil): return "start"
            case .start: return "start in place of another"
            case .wait, .late: return "wait"
            case .refuse: return "refuse"
            }
        }
        for number in 0..<8 { #expect(join("dead\(number)", page: "bad\(number)", after: .zero) == "start") }
        #expect(join("live", page: "good", after: .milliseconds(999)) == "refuse")
        #expect(join("live", page: "good", after: .seconds(1)) == "start in place of another")
        #expect(join("dead7", page: "good", after: .seconds(1)) == "wait")
        // Another client has room at once, as long as it has fewer.
        #expect(join("other", page: "", client: 2, after: .zero) == "start in place of another")
        #expect(table.count == 8)
    }

    @Test("an asker that has left a look-up, or whose look-up is late, has room for another one")
    func freedShares() {
        var table = LookUpTable(limit: 4)
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        func join(_ name: String, _ number: UInt64, _ client: UInt32) -> UInt64? {
            let waiter = LookUpTable.Waiter(asker: NameAsker(client: .v4(client))) { _ in }
            return if case .start(let id, _) = table.join(name, number, waiter, hasLastGood: true, now: now) { id } else
            { nil }
        }
        // Given two clients with two look-ups each, one of which both wait for
        let late = join("late", 1, 1)
        #expect(late != nil && join("common", 2, 1) != nil && join("c", 3, 2) != nil && join("d", 4, 2) != nil)
        #expect(join("common", 5, 2) == nil)
        #expect(join("e", 6, 1) == nil, "its share is used up")
        // When the first one's belong to it no more
        #expect(table.leave("common", 2) == nil)
        #expect(table.becomeLate("late", late ?? 0).count == 1)
        // Then it has none, and the other one has three
        #expect(join("e", 7, 2) == nil, "the share of the second is used up")
        #expect(join("e", 8, 1) != nil, "the first has room")
        #expect(table.refused == 3)
        // And the answer of a look-up that was given up ends no other one of that name
        #expect(table.finish("e", 4) == nil && table.count == 4)
        #expect(table.finish("e", 5)?.waiters.count == 1 && table.count == 3)
    }

    @Test("a look-up whose askers have left is forgotten; one that others wait for goes on")
    func leaving() async throws {
        let server = try FakeNameServer { name, isV6 in
            name == "slow.example" ? nil : isV6 ? Reply() : Reply(v4: [3])
        }
        let resolver = try Lab([server]).makeResolver()
        let (underWay, isTold): ([Int], Bool) = try await onLoop { loop, outcome in
            var isTold = false
            let slow = Array("slow.example".utf8)
            let first = resolver.resolve(slow, on: loop) { _ in isTold = true }
            let second = resolver.resolve(slow, for: NameAsker(client: .v4(1)), on: loop) { _ in isTold = true }
            var underWay = [resolver.statistics.underWay]
            first.cancel()
            underWay.append(resolver.statistics.underWay)
            second.cancel()
            underWay.append(resolver.statistics.underWay)
            resolver.resolve(Array("live.example".utf8), on: loop) { _ in outcome.succeed((underWay, isTold)) }
        }
        #expect(underWay == [1, 1, 0])
        #expect(!isTold)
    }

    @Test("an attempt to connect that is called off takes its look-up back")
    func cancelledAttempt() async throws {
        let server = try FakeNameServer { _, _ in nil }
        let resolver = try Lab([server]).makeResolver()
        let counts: [Int] = try await onLoop { loop, outcome in
            let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
            let attempt = Connector(loop: loop, resolver: resolver).connect(
                host: Array("slow.example".utf8),
                port: 80,
                policy: policy,
                timeout: .seconds(5)
            ) { _ in }
            let before = resolver.statistics.underWay
            attempt.cancel()
            outcome.succeed([before, resolver.statistics.underWay])
        }
        #expect(counts == [1, 0])
    }

    @Test("a loop that ends with look-ups under way leaves none behind, and those of other loops hear of it")
    func endingLoop() async throws {
        let server = try FakeNameServer { _, _ in nil }
        let resolver = try Lab([server]).makeResolver()
        let ending = try LoopGroup(count: 1)
        let answer: NameResolver.Resolution = try await onLoop { loop, outcome in
            let handle = loop.handle
            ending.handles[0].submit { first in
                for number in 0..<20 { resolver.resolve(Array("slow\(number).example".utf8), on: first) { _ in } }
                handle.submit { loop in
                    resolver.resolve(Array("slow7.example".utf8), on: loop) { outcome.succeed($0) }
                    ending.stop()
                }
            }
        }
        ending.join()
        #expect(answer == .failure(.failed))
        #expect(resolver.statistics.underWay == 0)
    }

    // MARK: How long answers hold

    @Test("an answer is kept as long as its record says, from 1 s to 1 h")
    func timeToLive() {
        var cache = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 8)
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        let answer = Self.found([.v4(1)], .dns)
        for (told, kept) in [(0, 1), (1, 1), (60, 60), (100_000, 3600)] as [(Int64, Int64)] {
            _ = cache.didLookUp("a.example", answer, timeToLive: .seconds(told), now: start)
            #expect(cache.answer("a.example", now: start + (.seconds(kept) - .nanoseconds(1))) == answer)
            #expect(cache.answer("a.example", now: start + .seconds(kept)) == nil)
        }
    }

    @Test("the last good addresses are used while nobody answers, and dropped when the name is gone (RFC 8767)")
    func lastGood() {
        var cache = NameCache(lifetimes: NameCache.Lifetimes(), capacity: 8)
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        let good = Self.found([.v4(1)], .dns)
        _ = cache.didLookUp("a.example", good, timeToLive: .seconds(1), now: start)
        let later = start + .seconds(10)
        for error in [NameError.timeout, .failed] {
            #expect(cache.didLookUp("a.example", .failure(error), timeToLive: nil, now: later) == good)
        }
        // For a few seconds nobody is asked again.
        #expect(cache.answer("a.example", now: later + .seconds(4)) == good)
        #expect(cache.answer("a.example", now: later + .seconds(5)) == nil)
        #expect(cache.lastGood("a.example", now: start + .seconds(86_402)) == nil)
        _ = cache.didLookUp("a.example", .failure(.notFound), timeToLive: nil, now: later)
        #expect(cache.lastGood("a.example", now: later) == nil)
        #expect(cache.answer("a.example", now: later) == .failure(.notFound))
        _ = cache.didLookUp("a.example", .failure(.timeout), timeToLive: nil, now: later + .seconds(6))
        #expect(cache.answer("a.example", now: later + .seconds(6)) == .failure(.timeout))
    }

    @Test("while a renewal is late the last good addresses are told; they are looked up anew all the same")
    func lateRenewal() async throws {
        let server = try FakeNameServer { _, isV6 in isV6 ? Reply() : Reply(v4: [3], timeToLive: 1) }
        let lab = try Lab([server])
        lab.options.lifetimes.leastAnswer = .zero
        lab.options.lifetimes.longestAnswer = .zero
        lab.options.patience = .milliseconds(50)
        lab.options.tryTime = .seconds(60)
        let resolver = lab.makeResolver()
        #expect(try await Self.look(resolver, "a.example") == Self.found([.v4(3)], .dns))
        server.script = { _, _ in nil }
        let (answers, underWay): ([NameResolver.Resolution], Int) = try await onLoop { loop, outcome in
            let name = Array("a.example".utf8)
            resolver.resolve(name, on: loop) { first in
                // It is known to be late: nobody waits for its end again.
                resolver.resolve(name, on: loop) { outcome.succeed(([first, $0], resolver.statistics.underWay)) }
            }
        }
        #expect(answers == [Self.found([.v4(3)], .dns), Self.found([.v4(3)], .dns)] && underWay == 1)
        #expect(server.asked.count == 2)
    }

    // MARK: Sources

    @Test("localhost, the hosts file, overrides and literals need no name server")
    func local() async throws {
        let lab = try Lab(
            hosts: "127.0.0.1 localhost\n10.0.0.9 Box.example box # old\n::5 box.example\nfe80::1%lo link.example\n"
        )
        lab.options.overrides = ["set.example": [.v4(7)]]
        let resolver = lab.makeResolver()
        let local: [IPAddress] = [.v6(0, 1), Self.here]
        #expect(try await Self.look(resolver, "localhost") == Self.found(local, .localhost))
        #expect(try await Self.look(resolver, "a.LOCALHOST.") == Self.found(local, .localhost))
        #expect(try await Self.look(resolver, "box.example") == Self.found([.v4(0x0A00_0009), .v6(0, 5)], .hostsFile))
        #expect(try await Self.look(resolver, "BOX") == Self.found([.v4(0x0A00_0009)], .hostsFile))
        #expect(try await Self.look(resolver, "set.example") == Self.found([.v4(7)], .override))
        #expect(try await Self.look(resolver, "192.0.2.1") == Self.found([.v4(0xC000_0201)], .literal))
        #expect(resolver.statistics.servers.allSatisfy { $0.questions == 0 })
        // As soon as the file is another one
        try lab.hosts.replace("10.0.0.8 box.example\n")
        #expect(try await Self.look(resolver, "box.example") == Self.found([.v4(0x0A00_0008)], .hostsFile))
        #expect(lab.system.value == 0)
    }

    @Test(
        "names go to the C library where nsswitch.conf names a source that is its own, and names below .local always",
        arguments: [
            ("files dns", "a.example", true), ("files dns", "box", true), ("files dns", "printer.local", false),
            ("files mdns4_minimal [NOTFOUND=return] dns", "a.example", true),
            ("files mdns4_minimal [NOTFOUND=return] dns", "printer.local", false),
            ("files myhostname dns", "a.example", true), ("files myhostname dns", "box", false),
            ("files ldap dns", "a.example", false), ("wins files dns", "a.example", false), ("dns", "a.example", false),
            ("files", "a.example", false), ("files [ NOTFOUND=return ] dns", "a.example", true),
            ("mymachines resolve [!UNAVAIL=return] files myhostname dns", "a.example", false),
        ]
    )
    func sources(line: String, name: String, isOurs: Bool) async throws {
        let server = try FakeNameServer { _, isV6 in isV6 ? Reply() : Reply(v4: [3]) }
        let lab = try Lab([server], sources: line)
        let answer = try await Self.look(lab.makeResolver(), name)
        #expect(answer == (isOurs ? Self.found([.v4(3)], .dns) : Self.found([.v4(99)], .system)))
        #expect(lab.system.value == (isOurs ? 0 : 1))
    }

    @Test("names of systemd-resolved are asked for at its own server, where resolv.conf names that")
    func stub() {
        let sources = NameSwitch(parsing: Array("hosts: resolve [!UNAVAIL=return] files dns".utf8))
        let stub = ResolverConfiguration(parsing: Array("nameserver 127.0.0.53\n".utf8))
        #expect(sources.route(of: "a.example", asksStub: stub.asksStub) == .dns)
        #expect(sources.route(of: "a.example", asksStub: false) == .system)
        #expect(NameSwitch(parsing: []).route(of: "a.example", asksStub: false) == .dns)
    }

    @Test("with `system` every name goes to the C library; the hosts file is still known as its source")
    func systemKind() async throws {
        let server = try FakeNameServer { _, _ in Reply(v4: [3]) }
        let lab = try Lab([server], hosts: "0.0.0.99 box.example\n0.0.0.98 other.example\n")
        lab.options.kind = .system
        let resolver = lab.makeResolver()
        #expect(try await Self.look(resolver, "a.example") == Self.found([.v4(99)], .system))
        #expect(try await Self.look(resolver, "box.example") == Self.found([.v4(99)], .hostsFile))
        // It has another address, so somebody else told this one.
        #expect(try await Self.look(resolver, "other.example") == Self.found([.v4(99)], .system))
        #expect(try await Self.look(resolver, "missing.example") == .failure(.notFound))
        #expect(server.asked.isEmpty && resolver.statistics.servers.isEmpty)
        // Settings change while it runs
        lab.options.kind = .builtIn
        resolver.apply(lab.options)
        #expect(try await Self.look(resolver, "a.example") == Self.found([.v4(3)], .dns))
    }

    @Test("one client's names that block leave a thread to those of others")
    func blockingShare() async throws {
        let workers = try WorkerPool(count: 3)
        var gate: [Int32] = [0, 0]
        try #require(pipe(&gate) == 0)
        let (held, release) = (gate[0], gate[1])
        defer {
            close(release)
            workers.stop()
            close(held)
        }
        let resolver = NameResolver(workers: workers, options: .system) { name in
            var byte: UInt8 = 0
            if name.hasPrefix("dead") { _ = read(held, &byte, 1) }
            return .success([.v4(4)])
        }
        let answer: NameResolver.Resolution = try await onLoop { loop, outcome in
            for number in 0..<40 {
                let asker = NameAsker(client: .v4(1))
                resolver.resolve(Array("dead\(number).local".utf8), for: asker, on: loop) { _ in }
            }
            resolver.resolve(Array("live.local".utf8), for: NameAsker(client: .v4(2)), on: loop) { outcome.succeed($0) }
        }
        #expect(answer == Self.found([.v4(4)], .system))
    }

    @Test("another resolv.conf is heeded at once, and what the former servers said is forgotten")
    func changedConfiguration() async throws {
        let first = ResolverConfiguration(
            parsing: Array(
                "; one\n# two\nnameserver 192.0.2.1 # three\nnameserver fe80::1%lo\nsearch a.example b.example\n"
                    .utf8
            ) + Array("options ndots:2 timeout:1 attempts:3 rotate use-vc edns0\nnameserver bad\n".utf8)
        )
        let link = IPAddress.v6(0xFE80_0000_0000_0000, 1)
        #expect(
            first.servers == [
                .ip(.v4(0xC000_0201), port: 53), .ip(link, port: 53, scope: SystemFile.interfaceIndex("lo")),
            ]
        )
        #expect(first.domains == ["a.example", "b.example"] && first.dots == 2 && first.tryTime == .seconds(1))
        #expect(first.rounds == 3 && first.rotates && first.usesTCP)
        #expect(ResolverConfiguration(parsing: []).servers == [.ip(Self.here, port: 53)])
        // Given a name that was looked up
        let server = try FakeNameServer { name, isV6 in
            isV6 ? Reply() : name == "box.b.example" ? Reply(v4: [4]) : Reply(code: 3)
        }
        let lab = try Lab([server])
        let file = try File("nameserver 127.0.0.1\n")
        lab.options.resolvPath = file.path
        let resolver = lab.makeResolver()
        #expect(try await Self.look(resolver, "box") == .failure(.notFound))
        // When the file is another one, then even failures are forgotten
        try file.replace("nameserver 127.0.0.1\nsearch a.example b.example\n")
        #expect(try await Self.look(resolver, "box") == Self.found([.v4(4)], .dns))
        #expect(server.asked.suffix(2) == ["box.a.example", "box.b.example"])
    }
}
