import HTTPCaching
import Locking
import Logins
import Observability
import Proxying
import TestSupport
import Testing

/// Listeners that require a login.
@Suite struct LoginGateTests {
    @Test("a wrong login is refused with 407 and told in the log; a request without one is refused alone")
    func wrongLogin() throws {
        let lines = Lock<[String]>([])
        let log = Logger(
            level: .warning,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        let proxy = try TestProxy { setup in
            setup.options.refusalLog = RefusalLog(log)
            setup.options.login = ProxyLogin(table: LoginTable(), exempts: { _ in false })
        }
        #expect(proxy.ask("http://a.example/")?.status == 407)
        #expect(lines.withLock { $0 }.isEmpty)
        // alice:x
        #expect(proxy.ask("http://a.example/", "Proxy-Authorization: Basic YWxpY2U6eA==")?.status == 407)
        let told = lines.withLock { $0 }
        #expect(told.count == 1 && told.first?.contains("status=407") == true)
        #expect(told.first?.contains("no user has this name and password") == true)
    }

    /// Users of whom alice has the password `secret`.
    private static func table(_ password: String = "secret") throws -> LoginTable {
        let hash = try #require(PasswordHash.make(of: Array(password.utf8)))
        return try LoginTable(LoginFile(parsing: LoginFile.setting(hash, of: Array("alice".utf8), in: [])))
    }

    private static let right = "Proxy-Authorization: Basic YWxpY2U6c2VjcmV0"
    private static let wrong = "Proxy-Authorization: Basic YWxpY2U6eA=="

    private static func proxy(_ table: LoginTable, exempts: Bool = false) throws -> TestProxy {
        try TestProxy { setup in
            setup.recentRequests = 10
            setup.options.login = ProxyLogin(table: table, exempts: { _ in exempts })
        }
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
    }

    @Test("who logs in is served on the same connection, hits too, as long as each request has the login")
    func rightLogin() throws {
        let (origin, proxy) = (Self.origin(), try Self.proxy(Self.table()))
        let reader = proxy.reader()
        func status(_ fields: String...) -> Int? {
            reader.ask(proxy.request("GET", origin.url("/x"), fields))?.status
        }
        #expect([status(), status(Self.right), status(Self.right), status(Self.wrong)] == [407, 200, 200, 407])
        #expect([status(Self.right), status()] == [200, 407])
        #expect(proxy.ask(origin.url("/x"), Self.right)?.isHit == true)
        let records = try #require(proxy.recentRequests()).records
        #expect(records.filter { $0.status == 200 }.allSatisfy { $0.user == "alice" })
        #expect(records.map(\.outcome) == ["refused", "miss", "hit", "refused", "hit", "refused", "hit"])
        #expect(origin.requests.count == 1 && origin.requests[0]["Proxy-Authorization"] == [])
    }

    @Test("a stored answer to a request with content is for who logs in alone, too")
    func questions() throws {
        let (origin, table) = (Self.origin(), try Self.table())
        let proxy = try TestProxy { setup in
            setup.service.caching.rules = [CachingRule(name: "r", keyBody: .bytes)]
            setup.options.login = ProxyLogin(table: table, exempts: { _ in false })
        }
        func ask(_ reader: ReplyReader, _ fields: String...) -> Reply? {
            reader.ask(proxy.request("POST", origin.url("/x"), fields, content: "q"))
        }
        let reader = proxy.reader()
        #expect([ask(reader, Self.right)?.isHit, ask(reader, Self.right)?.isHit] == [false, true])
        #expect(ask(reader, Self.wrong)?.status == 407)
        #expect(ask(proxy.reader())?.status == 407)
        #expect(ask(proxy.reader(), Self.right)?.isHit == true && origin.requests.count == 1)
    }

    @Test("who has no login is asked for one, and the connection stays open; for CONNECT it ends")
    func challenge() throws {
        let proxy = try Self.proxy(Self.table())
        let reply = try #require(proxy.ask("http://a.example/"))
        #expect(reply.status == 407 && reply["Connection"] == [])
        #expect(reply["Proxy-Authenticate"] == ["Basic realm=\"Respite\", charset=\"UTF-8\""])
        #expect(reply.content.contains("this proxy is used with a login"))
        let tunnel = try #require(proxy.perform("CONNECT", "a.example:443", "Host: a.example:443"))
        #expect(tunnel.status == 407 && tunnel["Connection"] == ["close"])
        #expect(tunnel["Proxy-Authenticate"].count == 1)
    }

    @Test(
        "what is no login is told as such",
        arguments: [
            (["Proxy-Authorization: Bearer x"], 407, "no login of the scheme Basic"),
            (["Proxy-Authorization: Basic YWxpY2U6"], 407, "no login of the scheme Basic"),
            ([right, right], 400, "is there more than once"), ([wrong], 407, "no user has this name and password"),
        ] as [([String], Int, String)]
    )
    func noLogin(fields: [String], status: Int, sentence: String) throws {
        let proxy = try Self.proxy(Self.table())
        let reply = try #require(proxy.reader().ask(proxy.request("GET", "http://a.example/", fields)))
        #expect(reply.status == status && reply.content.contains(sentence), "\(reply)")
    }

    @Test("clients that the settings exempt need no login, and the script for browsers needs none")
    func exempt() throws {
        let (origin, table) = (Self.origin(), try Self.table())
        let proxy = try Self.proxy(table, exempts: true)
        for _ in 0..<2 { #expect(proxy.ask(origin.url("/x"))?.status == 200) }
        #expect(proxy.recentRequests()?.records.map(\.user) == [nil, nil])
        let strict = try Self.proxy(table)
        #expect(strict.ask("/proxy.pac")?.status == 200 && strict.ask("/")?.status == 407)
    }

    @Test("a login of users that are not in force any more is none, also on a connection that has used it")
    func reload() throws {
        let (origin, proxy, other) = (Self.origin(), try Self.proxy(Self.table()), try Self.table("other"))
        let reader = proxy.reader()
        let request = proxy.request("GET", origin.url("/x"), [Self.right])
        for _ in 0..<2 { #expect(reader.ask(request)?.status == 200) }
        proxy.change { $0.login = ProxyLogin(table: other, exempts: { _ in false }) }
        #expect(reader.ask(request)?.status == 407)
    }
}
