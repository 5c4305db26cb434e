import Testing

@testable import Logins

/// The text of a login file.
@Suite struct LoginFileTests {
    static let yescrypt = "$y$j9T$MgNtteyYIt04cnPrjtagN1$WWtGFsdIKGcbEQ/Umac3uJcQYx7UMwXy7HoOLRipfVD"
    static let gost = "$gy$j9T$zujXsaHBuKyhwG86xpYMk/$TaeNrf2uldkXbXEEKotmF7SiRPYA7PObLpim9VT4eB2"
    static let scrypt = "$7$CU..../....Zy5CUtu3/X69HlSYy1w/k0$T2KD0emhwBB1KfExfR5UGBi/8aYZNJItneIRA3VikKB"

    private static func fault(_ text: String) -> LoginFileFault? {
        do throws(LoginFileFault) {
            _ = try LoginFile(parsing: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("a line is USER:HASH; comments and empty lines say nothing, and lines may end with CR LF")
    func lines() throws {
        let text = "# team\n\nalice:\(Self.yescrypt)\r\n  \nbøb:\(Self.gost)\ncarol:\(Self.scrypt)"
        let file = try LoginFile(parsing: Array(text.utf8))
        #expect(file.entries.map { String(decoding: $0.user, as: UTF8.self) } == ["alice", "bøb", "carol"])
        #expect(try LoginFile(parsing: []).count == 0)
    }

    @Test(
        "a hash of another kind is refused by its name, with the remedy and without the line",
        arguments: [
            ("$1$salt$hash", "MD5 ($1$)"), ("$apr1$salt$hash", "$apr1$"), ("$2y$10$abcdefghijklmnopqrstuv", "bcrypt"),
            ("$6$salt$hash", "SHA-512"), ("$5$salt$hash", "SHA-256"), ("{SHA}c2VjcmV0", "SHA-1"),
            ("$argon2id$v=19$m=1,t=1,p=1$c2VjcmV0$aGFzaA", "Argon2"), ("$zz$secret$x", "unknown kind"),
            ("secret", "but a password"), ("", "but a password"), ("aaSecretDESxx", "DES"),
        ]
    )
    func kinds(hash: String, named: String) throws {
        let fault = try #require(Self.fault("# one\nalice:\(hash)\n"))
        #expect(fault.line == 2)
        #expect(fault.userMessage.contains(named) && fault.userMessage.contains("respite passwd"), "\(fault)")
        #expect(!fault.userMessage.contains("ecret") && !fault.userMessage.contains("alice"), "\(fault)")
    }

    @Test(
        "what is no line of a login file is a mistake that names its line",
        arguments: [
            ("alice", 1), (":\(yescrypt)", 1), ("a b:\(yescrypt)", 1), ("#x\nal\tice:\(yescrypt)", 2),
            ("alice:\(yescrypt):1000", 1), ("alice:\(yescrypt.dropLast())", 1), ("alice:$y$j9T$salt", 1),
            ("alice:\(yescrypt)\nbob:\(yescrypt)\nalice:\(gost)", 3), ("alice: \(yescrypt)", 1),
        ]
    )
    func mistakes(text: String, line: Int) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.line == line, "\(fault)")
        #expect(!fault.userMessage.contains("alice") && !fault.userMessage.contains("j9T"), "\(fault)")
    }

    @Test("a user's line is replaced, appended or removed, and every other byte stays")
    func editing() throws {
        let text = Array("# team\r\nalice:old\n\nbob:\(Self.gost)".utf8)
        let hash = try PasswordHash(parsing: Array(Self.yescrypt.utf8))
        func edited(_ user: String) -> String {
            String(decoding: LoginFile.setting(hash, of: Array(user.utf8), in: text), as: UTF8.self)
        }
        #expect(edited("alice") == "# team\r\nalice:\(Self.yescrypt)\n\nbob:\(Self.gost)\n")
        #expect(edited("ali") == "# team\r\nalice:old\n\nbob:\(Self.gost)\nali:\(Self.yescrypt)\n")
        let without = LoginFile.removing(Array("alice".utf8), from: text)
        #expect(without.map { String(decoding: $0, as: UTF8.self) } == "# team\r\n\nbob:\(Self.gost)\n")
        #expect(LoginFile.removing(Array("carol".utf8), from: text) == nil)
    }

    @Test("a hash of crypt(3) is right for its password alone, and new ones have a salt of their own")
    func hashes() throws {
        for text in [Self.yescrypt, Self.gost] {
            let hash = try PasswordHash(parsing: Array(text.utf8))
            #expect(hash.matches(Array("secret".utf8)))
            #expect(!hash.matches(Array("Secret".utf8)) && !hash.matches([]))
        }
        let (one, other) = (PasswordHash.make(of: [0x61]), PasswordHash.make(of: [0x61]))
        #expect(one != nil && one != other && one?.matches([0x61]) == true)
        #expect(one?.cost == Array("y$j9T".utf8))
    }
}
