/// The rest of a content, brought for one reader that fell behind.
package protocol RestOfContent: AnyObject, Sendable {
    /// Begins where the reader stands.
    var body: GrowingBody { get }

    func start()
    /// The reader has left.
    func cancel()
}

/// How readers that fall behind a growing body go on.
package struct BodyContinuation: Sendable {
    /// Whether what comes must be compared with what the reader has: no strong validator says that it is the same.
    package var comparesDigests: Bool
    /// Makes what brings the rest from a place on; nil if what was sent cannot be compared.
    package var makeRest: @Sendable (_ offset: Int64, _ digests: BlockDigests?) -> (any RestOfContent)?
    /// Nobody reads the body any more, and nobody can begin to.
    package var deserted: @Sendable () -> Void

    package init(
        comparesDigests: Bool,
        makeRest: @escaping @Sendable (_ offset: Int64, _ digests: BlockDigests?) -> (any RestOfContent)?,
        deserted: @escaping @Sendable () -> Void
    ) {
        self.comparesDigests = comparesDigests
        self.makeRest = makeRest
        self.deserted = deserted
    }
}
