import Configurations
import TestDoubles
import TestSupport
import Testing

@testable import Proxying

/// The age of a response that is passed on while it is loaded.
@Suite struct LoadedAgeTests {
    /// Ten minutes, where the clock shows a thousand seconds.
    private static let date = ("Date", "Thu, 01 Jan 1970 00:10:00 GMT")

    @Test(
        "a response that was old when it came is sent with its age, whatever says so (RFC 9111 §5.1)",
        arguments: [
            ([date], "400"), ([("Age", "20")], "20"), ([("Age", "20"), date], "400"), ([("Age", "500"), date], "500"),
            ([("Age", "many")], "0"), ([("Age", "0")], "0"), ([], nil),
        ] as [([(String, String)], String?)]
    )
    func age(lines: [(String, String)], expected: String?) throws {
        let directory = TemporaryDirectory()
        let proxy = try QuietProxy(in: directory, store: nil, configuration: Configuration())
        let connection = QuietConnection(proxy.path)
        var bytes: [UInt8] = []
        func run() { for _ in 0..<8 { proxy.run { connection.read(into: &bytes) } } }
        connection.send("GET http://origin.example/a HTTP/1.1\r\nHost: origin.example\r\n\r\n")
        run()
        let loads = proxy.provider.take()
        #expect(loads.map(\.receiver) == [.load])
        loads.first?.exchange.answer(200, [("Cache-Control", "max-age=600")] + lines, "x")
        run()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nx"), "\(text)")
        #expect(Reply.values(of: "Age", in: text) == (expected.map { [$0] } ?? []), "\(text)")
    }
}
