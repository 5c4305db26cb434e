/// The rest of a content, brought for one reader that fell behind.
protocol RestOfContent: AnyObject, Sendable {
    /// Begins where the reader stands.
    var body: GrowingBody { get }

    func start()
    /// The reader has left.
    func cancel()
}

/// How readers that fall behind a growing body go on.
struct BodyContinuation: Sendable {
    /// Whether what comes must be compared with what the reader has: no strong validator says that it is the same.
    var comparesDigests: Bool
    /// Makes what brings the rest from a place on; nil if what was sent cannot be compared.
    var makeRest: @Sendable (_ offset: Int64, _ digests: BlockDigests?) -> (any RestOfContent)?
    /// Nobody reads the body any more, and nobody can begin to.
    var deserted: @Sendable () -> Void
}
