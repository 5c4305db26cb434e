public import HTTPCore

/// Changes responses: one step of a pipeline.
///
/// Used by any number of runs at once, on worker threads; `variation` on any thread.
public protocol StreamingTransformer: Sendable {
    /// For people, such as `json select`; problem documents show it beside stage and cause.
    var name: String { get }
    /// Changes whenever the output would: kind and every option, in canonical form.
    var fingerprint: String { get }
    /// Whether content codings must be taken off before it: true for JSON, text, links and redaction, false for what
    /// decodes, encodes or changes fields.
    var needsDecodedContent: Bool { get }
    /// Whether it hides something: then no failure lets the original through.
    var isRedaction: Bool { get }

    /// Whether `variation` is ever anything but empty; true unless said otherwise.
    ///
    /// Forms that depend on no request can be served on the fastest path.
    var dependsOnRequest: Bool { get }

    /// What its output depends on in the request beyond the rule, such as the coding chosen from Accept-Encoding; empty
    /// for nothing.
    ///
    /// Short, and of few possible values: each makes a form of its own. MUST NOT block.
    func variation(for request: Fields) -> String

    /// Looks at the head, changes it as the content is going to change, and gives what changes the content; nil leaves
    /// the content alone.
    ///
    /// Also called for responses without content (HEAD, 204, 304): the driver then drops what is returned. It MUST give
    /// the same head for the same head and request, since a 304 makes the head anew and keeps the content.
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
