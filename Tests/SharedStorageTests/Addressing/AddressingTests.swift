import Testing

@testable import SharedStorage

@Suite("Where keys and servers are")
struct AddressingTests {
    @Test(
        "a key's slot is CRC-16 of its tag, or of the whole key without one",
        arguments: [
            ("123456789", 12_739), ("foo", 12_182), ("{foo}bar", 12_182), ("a{foo}{bar}", 12_182), ("foo{}", 5_542),
            ("", 0),
        ] as [(String, UInt16)]
    )
    func slot(key: String, expected: UInt16) {
        #expect(KeySlot.slot(of: Array(key.utf8)) == expected)
    }

    @Test("the tag is what stands in the first braces, unless that is nothing")
    func tag() {
        #expect(KeySlot.tag(of: Array("x{}{foo}".utf8)) == ArraySlice("x{}{foo}".utf8))
        #expect(KeySlot.tag(of: Array("{foo".utf8)) == ArraySlice("{foo".utf8))
        #expect(KeySlot.tag(of: Array("x{{foo}}".utf8)) == ArraySlice("{foo".utf8))
    }

    @Test(
        "addresses are host and port, IPv6 in brackets",
        arguments: [
            ("localhost:6379", "localhost:6379"), ("10.0.0.1:1", "10.0.0.1:1"), ("[::1]:6379", "[::1]:6379"),
            ("::1:6379", nil), ("host", nil), ("host:0", nil), ("host:65536", nil), ("ho st:1", nil), (":1", nil),
            ("host:+1", nil),
        ] as [(String, String?)]
    )
    func address(text: String, expected: String?) {
        #expect(ServerAddress(text)?.description == expected)
    }
}
