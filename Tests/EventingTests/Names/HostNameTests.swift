import HTTPCore
import Testing

@testable import Eventing

/// Which names are looked up, and in which form.
@Suite struct HostNameTests {
    private static let label = String(repeating: "a", count: 63)
    /// 253 bytes, the most there are.
    private static let longest = "\(label).\(label).\(label).\(label.dropLast(2))"

    @Test("a name is looked up in small letters and without its last point; what is no name is not")
    func canonical() {
        let expected: [(String, String?)] = [
            ("A_b-9.Example", "a_b-9.example"), ("zZ0.example.", "zz0.example"), ("a", "a"), ("-", "-"),
            (Self.label, Self.label), (Self.longest, Self.longest), (Self.longest + ".", Self.longest),
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("[::1]", "::1"), ("[127.0.0.1]", "127.0.0.1"),
            ("", nil), (".", nil), ("..", nil), ("a..b", nil), (".a", nil), ("a..", nil), ("a b", nil),
            ("a/b", nil), ("a:b", nil), ("a@b", nil), ("a[b", nil), ("a`b", nil), ("a{b", nil), ("a^b", nil),
            ("ä.example", nil), ("[::1", nil), ("::1]", nil), ("[a.example]", nil), ("[]", nil),
            (Self.label + "a", nil), (Self.longest + "a", nil), ("b" + Self.longest + ".", nil),
        ]
        for (text, name) in expected { #expect(HostName.canonical(Array(text.utf8)) == name, "\(text)") }
    }

    @Test("names of this machine are `localhost` and those below it")
    func localhost() {
        let names = ["localhost", "a.localhost", "xlocalhost", "localhost.example", "local", ""]
        #expect(names.filter(HostName.isLocalhost) == ["localhost", "a.localhost"])
        #expect(HostName.literal("127.0.0.1") == .v4(0x7F00_0001) && HostName.literal("localhost") == nil)
    }

    @Test("who asks is known by the page, which its field names")
    func page() {
        let host = String(repeating: "h", count: 300)
        let expected: [(String, String)] = [
            ("https://A.Example:8080/x?y", "a.example:8080"), ("https://a.example", "a.example"),
            ("https://a.example?x/y", "a.example"), ("https://a.example#x", "a.example"), ("null", ""), ("", ""),
            ("https://\(host)/", host), ("https://\(host)h/", ""), ("about:blank", "blank"),
        ]
        for (field, page) in expected {
            #expect(String(decoding: NameAsker.page(Array(field.utf8)), as: UTF8.self) == page, "\(field)")
        }
    }

    @Test("a look-up is answered once; called off, it is left once and never answered")
    func delivery() {
        var (told, left) = (0, 0)
        func lookUp() -> NameLookUp {
            let lookUp = NameLookUp { _ in told += 1 }
            lookUp.leave = { left += 1 }
            return lookUp
        }
        let answered = lookUp()
        #expect(answered.isWanted)
        answered.deliver(.failure(.notFound))
        answered.deliver(.failure(.notFound))
        answered.cancel()
        #expect(told == 1 && left == 0 && !answered.isWanted)
        let called = lookUp()
        called.cancel()
        called.cancel()
        called.deliver(.failure(.notFound))
        #expect(told == 1 && left == 1 && !called.isWanted)
    }
}
