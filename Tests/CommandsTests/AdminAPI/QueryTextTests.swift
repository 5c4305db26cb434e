import Testing

@testable import Commands

struct QueryTextTests {
    @Test("a value in a query is escaped, whatever it holds")
    func escaping() {
        #expect(
            QueryText.escaped("http://h.example/a?b=c&d#e%20*é".utf8)
                == "http://h.example/a%3Fb%3Dc%26d%23e%2520*%C3%A9"
        )
        #expect(QueryText.escaped([0x0A, 0xFF]) == "%0A%FF")
    }

    @Test("letters, digits and `*-./:_~` stay as they are; each other byte becomes a percent sign and two digits")
    func everyByte() {
        let digits = Array("0123456789ABCDEF")
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*-./:_~".utf8)
        for byte in UInt8.min...UInt8.max {
            let escaped = "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            let expected = plain.contains(byte) ? String(UnicodeScalar(byte)) : escaped
            #expect(QueryText.escaped([byte]) == expected)
        }
    }
}
