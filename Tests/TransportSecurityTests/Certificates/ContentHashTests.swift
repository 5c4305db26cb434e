import Testing
import TransportSecurity

@Suite("SHA-256 in pieces")
struct ContentHashTests {
    @Test("the digest is that of the whole, wherever it is cut (FIPS 180-4)")
    func pieces() {
        let content = Array("abc".utf8)
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        for cut in 0...content.count {
            var hash = ContentHash()
            hash.append(content[..<cut])
            hash.append(content[cut...])
            let digits = hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(digits == expected)
        }
    }
}
