import Testing

@testable import Logins

/// Hashes of passwords in a login file.
@Suite struct PasswordHashTests {
    private static func reason(_ text: String) -> String? {
        do throws(PasswordHash.Fault) {
            _ = try PasswordHash(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    private static let end = String(repeating: "x", count: 42)

    @Test(
        "a hash has the letters, the digits, the dot and the slash of crypt(3), and no other sign",
        arguments: [
            (".", true), ("/", true), ("0", true), ("9", true), ("A", true), ("Z", true), ("a", true), ("z", true),
            ("-", false), (":", false), ("@", false), ("[", false), ("`", false), ("{", false), ("#", false),
        ]
    )
    func signs(sign: String, isTaken: Bool) {
        #expect(Self.reason("$y$j9T$salt$\(Self.end)\(sign)") == (isTaken ? nil : "the hash is not whole"))
    }

    @Test(
        "a hash that is cut, or has too much, is not whole",
        arguments: [
            "$y$j9T$salt$\(end)", "$y$j9T$salt$\(end)xx", "$y$j9T$\(end)x", "$gy$j9T$salt$\(end)", "$7$CUsalt$\(end)",
            "$7$CU$salt$\(end)x", "$y$j9T$salt$x$\(end)x",
        ]
    )
    func cut(text: String) {
        #expect(Self.reason(text) == "the hash is not whole")
    }

    @Test(
        "each kind that is refused is called by its name",
        arguments: [
            ("$1$", "MD5 ($1$)"), ("$apr1$", "Apache's MD5 ($apr1$)"), ("$2a$", "bcrypt ($2a$)"),
            ("$2b$", "bcrypt ($2b$)"), ("$2x$", "bcrypt ($2x$)"), ("$2y$", "bcrypt ($2y$)"), ("$3$", "NT ($3$)"),
            ("$5$", "SHA-256 ($5$)"), ("$6$", "SHA-512 ($6$)"), ("$sha1$", "SHA-1 ($sha1$)"),
            ("$md5,rounds=1$", "Sun's MD5 ($md5)"), ("{SHA}", "SHA-1 ({SHA})"), ("{SSHA}", "SHA-1 ({SSHA})"),
            ("$argon2id$", "Argon2, which crypt(3) has not"),
        ]
    )
    func kinds(start: String, name: String) {
        let accepted = "only yescrypt ($y$, $gy$) and scrypt ($7$) are accepted"
        #expect(Self.reason("\(start)x") == "its hash is of the kind \(name), and \(accepted)")
    }

    @Test(
        "what is no kind at all is a password, perhaps",
        arguments: [("$y", true), ("$", true), ("$x$y$z", true), ("x$y$z", false), ("", false)]
    )
    func unknown(text: String, hasSign: Bool) {
        let expected =
            hasSign
            ? "its hash is of an unknown kind, and only yescrypt ($y$, $gy$) and scrypt ($7$) are accepted"
            : "behind the name is no hash of yescrypt or scrypt, but a password, perhaps, or a hash of DES"
        #expect(Self.reason(text) == expected)
    }

    @Test("the cost of a hash is its kind and its parameters, without the salt")
    func costs() throws {
        func cost(_ text: String) throws -> String {
            String(decoding: try PasswordHash(parsing: Array(text.utf8)).cost, as: UTF8.self)
        }
        #expect(try cost(LoginFileTests.yescrypt) == "y$j9T")
        #expect(try cost(LoginFileTests.gost) == "gy$j9T")
        #expect(try cost(LoginFileTests.scrypt) == "7$CU..../....")
    }

    @Test("what is remembered of a login is HMAC-SHA-256 under a key of 32 random bytes (RFC 2104, RFC 4231 §4.3)")
    func digests() {
        let digest = CryptCalls.digest(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        let expected: [UInt8] = [
            0x5B, 0xDC, 0xC1, 0x46, 0xBF, 0x60, 0x75, 0x4E, 0x6A, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xC7, 0x5A, 0x00,
            0x3F,
            0x08, 0x9D, 0x27, 0x39, 0x83, 0x9D, 0xEC, 0x58, 0xB9, 0x64, 0xEC, 0x38, 0x43,
        ]
        #expect(digest == expected)
        let key = CryptCalls.randomKey()
        #expect(key.count == 32 && key != CryptCalls.randomKey())
        #expect(CryptCalls.areEqual(key, key) && !CryptCalls.areEqual(key, Array(key.dropLast())))
        #expect(!CryptCalls.areEqual(key, Array(key.dropLast()) + [~key[31]]))
    }
}
