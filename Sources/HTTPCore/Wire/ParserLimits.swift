/// The largest messages that parsers accept; the names in brackets are those of settings in `[limits]`.
public struct ParserLimits: Sendable, Equatable {
    /// Bytes of a method (`method`).
    public var method = 32
    /// Bytes of a request target (`request-target`).
    public var requestTarget = 16 * 1024
    /// Bytes of a field section, its end included (`header-section`).
    public var headerSection = 64 * 1024
    /// Field lines of a section (`header-fields`).
    public var headerFields = 256
    /// Empty lines before a request line.
    public var emptyLines = 8
    /// Bytes of a reason phrase.
    public var reasonPhrase = 8 * 1024
    /// Bytes of content (`request-body`); nil for no limit.
    public var content: Int64?
    /// Bytes of the extensions of one chunk (`chunk-extension-line`).
    public var chunkExtensionLine = 4 * 1024
    /// Bytes of all chunk extensions of one message (`chunk-extensions`).
    public var chunkExtensions = 16 * 1024
    /// Bytes of a trailer section (`trailer-section`).
    public var trailerSection = 16 * 1024
    /// Field lines of a trailer section (`trailer-fields`).
    public var trailerFields = 64

    public init() {}
}

/// The result of a parser's call.
public enum ParseResult: Sendable, Equatable {
    /// The head is incomplete: call again with the same bytes and more.
    case needMore
    /// The head is complete, and has this many bytes from the start of the input.
    case complete(consumed: Int)
    /// The input is no message; reset the parser before its next use.
    case failed(ParseError)
}
