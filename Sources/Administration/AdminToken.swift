import Platform

/// The token of the admin listener, in a file that only its owner may read (H-142).
public enum AdminToken {
    /// Why there is no token.
    public struct Failure: Error, Sendable {
        /// A sentence for people.
        public var userMessage: String
    }

    /// A new token: 256 random bits.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in generator.next() as UInt8 })
    }

    /// Returns the token in `file`, which its operator made, and which only reads.
    ///
    /// Changes nothing; blocks.
    /// - Parameter adminToken: the token that does everything; the one in the file must be another.
    public static func readForReaders(_ file: String, adminToken: String) throws(Failure) -> String {
        let token: String
        do {
            token = try SecretFile.readOfOperator(file)
        } catch {
            throw unusable(file, error.reason)
        }
        guard token.utf8.count >= 16, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw unusable(
                file,
                "its first line is no token of 16 characters or more (`openssl rand -hex 32` makes one)"
            )
        }
        guard token != adminToken else { throw unusable(file, "it holds the admin token, which does more than read") }
        return token
    }

    /// Why the token in `file` cannot be used by readers; nil if it can.
    public static func faultForReaders(_ file: String) -> String? {
        do throws(Failure) {
            _ = try readForReaders(file, adminToken: "")
            return nil
        } catch {
            return error.userMessage
        }
    }

    private static func unusable(_ file: String, _ reason: String) -> Failure {
        Failure(
            userMessage:
                "cannot use the read token file \(file): \(reason); it must belong to root or to Respite's user, and "
                + "others than its group must not read it (chmod 640); or change `admin-read-token-file`"
        )
    }

    /// Returns the token in `file`; if the file is missing, writes `known` or a new token there.
    ///
    /// Blocks.
    public static func readOrMake(_ file: String, known: String? = nil) throws(Failure) -> String {
        do {
            return try SecretFile.readOrMake(file) { known ?? make() }
        } catch {
            throw Failure(
                userMessage: "cannot use the admin token file \(file): \(error.reason); "
                    + "make it private (chmod 600), remove it, or change `admin-token-file`"
            )
        }
    }
}
