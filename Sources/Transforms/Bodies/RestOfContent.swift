/// A load of the rest of a content, for one reader that fell behind.
package protocol RestOfContent: AnyObject, Sendable {
    /// Begins at the reader's offset.
    var body: GrowingBody { get }

    func start()
    /// The reader has left.
    func cancel()
}

/// How readers that fall behind a growing body continue.
package struct BodyContinuation: Sendable {
    /// Whether the new content must be compared with the old: no strong validator guarantees that they are equal.
    package var comparesDigests: Bool
    /// Makes a load of the content from `offset` on; nil if the content so far cannot be compared.
    package var makeRest: @Sendable (_ offset: Int64, _ digests: BlockDigests?) -> (any RestOfContent)?
    /// Called when the body has no reader and accepts none.
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
