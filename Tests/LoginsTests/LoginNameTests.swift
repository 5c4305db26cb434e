import Testing

@testable import Logins

/// The names and passwords that a login may have.
@Suite struct LoginNameTests {
    @Test(
        "a name has 1 to 128 bytes of UTF-8, without spaces, control characters and colons",
        arguments: [
            ("a", true), (String(repeating: "a", count: 128), true), (String(repeating: "ø", count: 64), true),
            ("a#", true), ("å.ß@example", true), ("~", true), ("", false), (String(repeating: "a", count: 129), false),
            (String(repeating: "ø", count: 65), false), ("#a", false), ("a:b", false), ("a b", false),
            ("a\u{A0}b", false),
            ("a\tb", false), ("a\u{7F}", false), ("a\u{85}", false), ("\u{0}", false),
        ]
    )
    func names(name: String, isValid: Bool) {
        #expect(LoginName.isValid(Array(name.utf8)) == isValid)
    }

    @Test("a name that is no UTF-8 is none")
    func malformed() {
        #expect(!LoginName.isValid([0x61, 0xFF]))
    }

    @Test("a login has a user of at most 128 bytes, and a password of 1 to 511")
    func lengths() {
        func isLogin(_ user: Int, _ password: Int) -> Bool {
            BasicCredentials(
                user: Array(repeating: 0x61, count: user),
                password: Array(repeating: 0x62, count: password)
            ) != nil
        }
        #expect(isLogin(1, 1) && isLogin(128, 1) && isLogin(1, 511) && isLogin(128, 511))
        #expect(!isLogin(129, 1) && !isLogin(1, 0) && !isLogin(1, 512))
    }

    @Test("a login has no control character, neither in its user nor in its password")
    func controls() {
        for byte in UInt8.min ... .max {
            let isControl = byte < 0x20 || byte == 0x7F
            #expect((BasicCredentials(user: [0x61, byte], password: [0x62]) == nil) == isControl, "\(byte)")
            #expect((BasicCredentials(user: [0x61], password: [byte]) == nil) == isControl, "\(byte)")
        }
    }
}
