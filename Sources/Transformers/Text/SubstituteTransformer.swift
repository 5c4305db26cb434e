import HTTPCore
public import Transforms

/// Replaces a literal text by another, wherever it stands in text content.
///
/// Matches bytes of UTF-8, without regard to the case of ASCII letters on request; the leftmost match counts and
/// matches do not overlap. What the replacement puts in is not searched again. Content that is no text (see
/// `TextualTypes`) stays as it is. Streams: at most the text's length is held back.
public struct SubstituteTransformer: StreamingTransformer {
    private let pattern: SearchPattern
    private let text: String
    private let replacement: [UInt8]
    private let ignoreCase: Bool
    /// Bytes either text may have: what one match adds to the output of a call stays small.
    static let maximumLength = 16_384

    /// - Parameters:
    ///   - text: 1 to 16,384 bytes.
    ///   - replacement: at most as many; may be empty.
    public init(_ text: String, with replacement: String, ignoreCase: Bool = false) throws(TransformerOptionError) {
        guard !text.isEmpty else { throw TransformerOptionError("`substitute` names no text to look for") }
        guard text.utf8.count <= Self.maximumLength, replacement.utf8.count <= Self.maximumLength else {
            throw TransformerOptionError("`substitute` takes texts of at most \(Self.maximumLength) bytes")
        }
        self.text = text
        self.replacement = Array(replacement.utf8)
        self.ignoreCase = ignoreCase
        pattern = SearchPattern(Array(text.utf8), ignoreCase: ignoreCase)
    }

    public var name: String { "substitute" }
    public var fingerprint: String {
        "substitute:\(ignoreCase ? "i" : "c"):\(text.utf8.count):\(text):"
            + String(decoding: replacement, as: UTF8.self)
    }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard TextualTypes.type(of: head.fields) != nil else { return nil }
        head.fields.remove(.contentLength)
        return Substitution(pattern, replacement)
    }
}
