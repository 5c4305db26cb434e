import Settings

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
