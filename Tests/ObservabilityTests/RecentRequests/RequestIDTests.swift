import Testing

@testable import Observability

/// The identifiers of recorded requests.
@Suite struct RequestIDTests {
    @Test(
        "an identifier is written in digits and small letters, and read again",
        arguments: [0, 9, 10, 35, 36, .max] as [UInt64]
    )
    func roundTrip(number: UInt64) {
        let id = RequestID(number: number)
        #expect(RequestID(text: id.text) == id && !id.text.isEmpty)
    }

    @Test(
        "another text is no identifier",
        arguments: ["", "A", "Z", "-1", "+1", "/", ":", "`", "{", " 1", "1 ", "é", "3w5e11264sgsg", "00000000000001"]
    )
    func malformed(text: String) {
        #expect(RequestID(text: text) == nil)
    }

    @Test("an identifier has up to thirteen digits, and the largest is the last")
    func limits() {
        #expect(RequestID(text: "0000000000001") == RequestID(number: 1))
        #expect(RequestID(text: "3w5e11264sgsf") == .last && RequestID(text: "0") == RequestID.none)
        for text in ["0", "9", "a", "z"] { #expect(RequestID(text: text)?.text == text) }
        #expect(RequestID(number: 1) < RequestID(number: 2) && !(RequestID(number: 2) < RequestID(number: 2)))
    }
}
