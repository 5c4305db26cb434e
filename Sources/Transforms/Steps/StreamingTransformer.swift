public import HTTPCore

/// Changes responses piece by piece; the work of one pipeline step.
///
/// Any number of runs use it at once, on worker threads. `variation` is called on any thread.
public protocol StreamingTransformer: Sendable {
    /// A name for people, such as `json select`. Problem documents show it with stage and cause.
    var name: String { get }
    /// Kind and all options, in canonical form. It MUST differ whenever the output would.
    var fingerprint: String { get }
    /// Whether it needs content without content codings: true for JSON, text, links and redaction.
    var needsDecodedContent: Bool { get }
    /// Whether it hides something; if so, no failure may let the original through.
    var isRedaction: Bool { get }

    /// Whether `variation` may return anything but an empty text; true by default.
    ///
    /// Renditions that do not depend on the request can use the fast path.
    var dependsOnRequest: Bool { get }

    /// The part of the request that the output depends on, such as the coding chosen from Accept-Encoding; empty for
    /// none.
    ///
    /// Keep it short and its values few, since each makes a rendition of its own. MUST NOT block.
    func variation(for request: Fields) -> String

    /// Changes the head to suit the new content, and returns the filter that changes the content; nil leaves the
    /// content alone.
    ///
    /// It is also called for responses without content (HEAD, 204, 304); the driver then drops the filter. It MUST
    /// return the same head for the same head and request, since a 304 makes the head anew but keeps the content.
    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)?
}

extension StreamingTransformer {
    public var needsDecodedContent: Bool { false }
    public var isRedaction: Bool { false }
    public var dependsOnRequest: Bool { true }
    public func variation(for request: Fields) -> String { "" }
}
