import Platform
import Testing

struct TerminatedTextTests {
    @Test(
        "the text in a buffer of C ends before the first zero byte, or with the buffer",
        arguments: [("ab", "ab"), ("ab\0c\0", "ab"), ("\0a", ""), ("", ""), ("é\0", "é")]
    )
    func text(buffer: String, expected: String) {
        #expect(String(terminatedIn: buffer.utf8.map { CChar(bitPattern: $0) }) == expected)
    }
}
