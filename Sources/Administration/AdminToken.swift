import Settings

/// The token of the admin listener, in a file its owner alone may read (H-142).
public enum AdminToken {
    /// Why there is no token.
    public struct Failure: Error, Sendable {
        /// A sentence for a person.
        public var userMessage: String
    }

    /// A new token: 256 random bits.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in generator.next() as UInt8 })
    }

    /// The token in `file`, made at the first start; blocks.
    public static func readOrMake(_ file: String) throws(Failure) -> String {
        do {
            return try SecretFile.readOrMake(file, make: make)
        } catch {
            throw Failure(
                userMessage: "cannot use the admin token file \(file): \(reason(error)); "
                    + "make it private (chmod 600), remove it, or change `admin-token-file`"
            )
        }
    }

    private static func reason(_ failure: SmallFile.Failure) -> String {
        failure.isTooOpen ? "others may read or write it" : failure.reason
    }
}
