import Proxying
import TestSupport
import Testing

/// Content of a load that its slow client finds in a file of the store, no longer in memory.
@Suite struct SpilledContentTests {
    /// Four megabytes, more than a client that does not read leaves room for on the way.
    private static let content: [UInt8] = {
        let block = (0..<251).map { UInt8(0x21 + $0 % 90) }
        return (0..<16_000).flatMap { _ in block }
    }()

    @Test(
        "a client that reads late gets what has left memory from the file, whether a part was stored before or not",
        arguments: [false, true]
    )
    func late(hasPart: Bool) throws {
        let origin = RangeOrigin(Self.content)
        let store = SpillingStore()
        let proxy = try TestProxy { $0.store = store }
        if hasPart { #expect(proxy.ask(origin.url, "Range: bytes=0-9")?.content.utf8.count == 10) }
        let client = proxy.client(receiveBuffer: 16_384)
        client.send(proxy.request("GET", origin.url, ["Connection: close"]))
        // The load goes on while its client reads nothing.
        try store.written.wait("the content in a file") { $0 >= Int64(Self.content.count) - 10 ? () : nil }
        let bytes = client.receiveAllBytes().bytes
        // Without the bytes in what a failure prints.
        let isWhole = Array(bytes.suffix(Self.content.count)) == Self.content
        let hasHead = bytes.starts(with: Array("HTTP/1.1 200 OK\r\n".utf8))
        #expect(isWhole && hasHead && store.bodies > 0)
    }
}
