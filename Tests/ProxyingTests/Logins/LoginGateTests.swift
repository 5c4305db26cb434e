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
}
