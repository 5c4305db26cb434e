import HTTPCore
public import Transforms

/// Replaces a literal text by another, wherever text content contains it.
///
/// It compares bytes of UTF-8, on request regardless of the case of ASCII letters. Matches are found from left to right
/// and do not overlap; replacements are not searched. Content that is not text (see `TextualTypes`) stays as it is. It
/// streams, and holds back at most the length of the text.
public struct SubstituteTransformer: StreamingTransformer {
    private let pattern: SearchPattern
    private let text: String
    private let replacement: [UInt8]
    private let ignoreCase: Bool
    /// The greatest length of either text in bytes.
    ///
    /// It limits how much one match adds to the output of a call.
    static let maximumLength = 16_384

    /// - Parameters:
    ///   - text: 1 to 16,384 bytes.
    ///   - replacement: at most 16,384 bytes; it may be empty.
    public init(_ text: String, with replacement: String, ignoreCase: Bool = false) throws(TransformerOptionError) {
        guard !text.isEmpty else { throw TransformerOptionError("`substitute` has no text to look for") }
        guard text.utf8.count <= Self.maximumLength, replacement.utf8.count <= Self.maximumLength else {
            throw TransformerOptionError("`substitute` accepts texts of at most \(Self.maximumLength) bytes")
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
