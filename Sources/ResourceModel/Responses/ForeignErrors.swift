import Locking

/// Understands errors whose types this module does not know, such as those of Foundation.
package enum ForeignErrors {
    package struct Reader: Sendable {
        let cause: @Sendable (any Error) -> (any Error)?
        let sentence: @Sendable (any Error) -> String?

        /// - Parameters:
        ///   - cause: the cause of `RequestError.Cause` that an error of a networking provider is; nil: none.
        ///   - sentence: an error's message for people; nil: not known.
        package init(
            cause: @escaping @Sendable (any Error) -> (any Error)?,
            sentence: @escaping @Sendable (any Error) -> String?
        ) {
            self.cause = cause
            self.sentence = sentence
        }
    }

    private static let reader = Lock<Reader?>(nil)

    /// Has errors read by `new` from now on.
    package static func read(by new: Reader) { reader.withLock { $0 = new } }

    static func cause(_ error: any Error) -> (any Error)? { reader.withLock { $0 }?.cause(error) }
    static func sentence(_ error: any Error) -> String? { reader.withLock { $0 }?.sentence(error) }
}
