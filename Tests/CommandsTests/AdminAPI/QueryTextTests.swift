import Testing

@testable import Commands

struct QueryTextTests {
    @Test("a value in a query is escaped, whatever it holds")
    func escaping() {
        #expect(QueryText.escaped("http://h/a?b=c&d#e%20*é".utf8) == "http://h/a%3Fb%3Dc%26d%23e%2520*%C3%A9")
        #expect(QueryText.escaped([0x0A, 0xFF]) == "%0A%FF")
    }
}
