/// The hash of a password by a function that needs much memory, as crypt(5) writes it.
///
/// The kinds are yescrypt (`$y$`), gost-yescrypt (`$gy$`) and scrypt (`$7$`): many guesses need many times the memory.
public struct PasswordHash: Sendable, Hashable {
    /// The hash with its kind, parameters and salt.
    let text: [UInt8]

    /// The longest password, in bytes; that of crypt(3).
    public static let longestPassword = 511

    /// Hashes a new password with a salt of its own and the library's default cost; takes time on purpose.
    ///
    /// - Parameter password: 1 to `longestPassword` bytes without control characters.
    public static func make(of password: [UInt8]) -> PasswordHash? {
        guard let setting = CryptCalls.setting(prefix: "$y$") else { return nil }
        return CryptCalls.hash(password, setting: setting).map { PasswordHash(text: $0) }
    }

    private init(text: [UInt8]) { self.text = text }

    /// - Throws: what is wrong, as a clause that quotes nothing of the text.
    init(parsing text: [UInt8]) throws(Fault) {
        let parts = text.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard text.first == UInt8(ascii: "$"), parts.count > 2 else { throw Self.unknown(text) }
        let expected: Int
        switch String(decoding: parts[1], as: UTF8.self) {
        case "y", "gy": expected = 5
        case "7": expected = 4
        default: throw Self.unknown(text)
        }
        guard parts.count == expected, parts.last?.count == 43, text.allSatisfy(Self.isHashByte) else {
            throw Fault("the hash is not whole")
        }
        self.text = text
    }

    /// Why a text is no hash of a kind that is accepted.
    struct Fault: Error, Equatable {
        var reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Whether this is the hash of `password`; takes time and memory on purpose.
    func matches(_ password: [UInt8]) -> Bool {
        guard let made = CryptCalls.hash(password, setting: text) else { return false }
        return CryptCalls.areEqual(made, text)
    }

    /// The kind and its cost, the same for all hashes that take the same time.
    var cost: [UInt8] {
        let parts = text.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        // Of scrypt: one character for N, five each for r and p; the salt follows at once.
        return Array(parts[1]) + [UInt8(ascii: "$")] + parts[2].prefix(parts.count == 4 ? 11 : parts[2].count)
    }

    /// Whether the system's crypt(3) knows the kind and accepts its parameters; takes time on purpose.
    var isSupported: Bool { CryptCalls.hash([UInt8(ascii: "x")], setting: text) != nil }

    private static func isHashByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: ".")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Kinds that are refused, by how their texts begin.
    private static let refused = [
        ("$1$", "MD5 ($1$)"), ("$apr1$", "Apache's MD5 ($apr1$)"), ("$2a$", "bcrypt ($2a$)"), ("$2b$", "bcrypt ($2b$)"),
        ("$2x$", "bcrypt ($2x$)"), ("$2y$", "bcrypt ($2y$)"), ("$3$", "NT ($3$)"), ("$5$", "SHA-256 ($5$)"),
        ("$6$", "SHA-512 ($6$)"), ("$sha1$", "SHA-1 ($sha1$)"), ("$md5", "Sun's MD5 ($md5)"),
        ("{SHA}", "SHA-1 ({SHA})"),
        ("{SSHA}", "SHA-1 ({SSHA})"), ("$argon2", "Argon2, which crypt(3) has not"),
    ]

    private static let accepted = "only yescrypt ($y$, $gy$) and scrypt ($7$) are accepted"

    private static func unknown(_ text: [UInt8]) -> Fault {
        if let kind = refused.first(where: { text.starts(with: $0.0.utf8) }) {
            return Fault("its hash is of the kind \(kind.1), and \(accepted)")
        }
        return Fault(
            text.first == UInt8(ascii: "$")
                ? "its hash is of an unknown kind, and \(accepted)"
                : "behind the name is no hash of yescrypt or scrypt, but a password, perhaps, or a hash of DES"
        )
    }
}
