import Exchanges
import Locking
import Observability
import Proxying
import Testing
import TestSupport

/// What is logged about requests for which there is no response.
@Suite struct FailureResponseTests {
    @Test("the log tells of an address that settings forbid, and not of an origin that refuses")
    func refusalLog() throws {
        let lines = Lock<[String]>([])
        let log = Logger(
            level: .warning,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        let proxy = try TestProxy { $0.options.refusalLog = RefusalLog(log) }
        // Nobody else listens at this address, whatever the port.
        #expect(proxy.ask("http://127.9.9.9:\(proxy.port)/")?.status == 502)
        #expect(lines.withLock { $0 }.isEmpty)
        #expect(proxy.ask("http://169.254.169.254/latest")?.status == 403)
        let logged = lines.withLock { $0 }
        #expect(logged.count == 1)
        #expect(logged.first?.contains("refused") == true && logged.first?.contains("status=403") == true)
    }
}
