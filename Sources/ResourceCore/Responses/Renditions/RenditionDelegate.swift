import Outcomes

/// What renditions report to, and what they need of it: the resource of their original.
protocol RenditionDelegate: AnyObject, Sendable {
    /// Of its URI.
    var hash: UInt64 { get }
    var environment: CoreEnvironment { get }

    /// A rendition of a response in memory now uses memory of its own.
    func renditionDidEnter(_ content: DerivedContent)
    /// A rendition is no longer kept.
    func renditionDidLeave(_ content: DerivedContent)
    /// A transformer failed: data and loads stay as they are.
    func renditionDidFail(_ error: ResourceError)
    /// The store has a rendition.
    func didBecomeDurable()
    /// Which renditions can be served has changed.
    func renditionsDidChange()
}
