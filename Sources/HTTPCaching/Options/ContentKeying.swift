public import HTTPCore

/// How the content of a request becomes a part of the cache key: of every QUERY (RFC 10008), and of POST by a rule.
public enum ContentKeying: Sendable, Equatable {
    /// Not at all; revokes an earlier rule.
    case off
    /// Byte by byte.
    case bytes
    /// In a canonical form.
    case form(CanonicalForm)

    /// Distinguishes forms: a changed rule must not find what was stored under another.
    var name: String {
        switch self {
        case .off: ""
        case .bytes: "bytes"
        case .form(let form): form.name
        }
    }

    /// What is digested before the content: that which decides how an origin reads it (RFC 10008 §2).
    public func preamble(_ request: Fields) -> [UInt8] {
        var text: [UInt8] = []
        appendPreamble(request, to: &text)
        return text
    }

    /// Appends the same to `text`.
    public func appendPreamble(_ request: Fields, to text: inout [UInt8]) {
        text.appendWithLength(name.utf8.span)
        append(request, .contentType, to: &text)
        append(request, .contentEncoding, to: &text)
    }

    private func append(_ request: Fields, _ field: KnownField, to text: inout [UInt8]) {
        if request.count(of: field) > 1 { return text.appendWithLength((request.combined(field) ?? []).trimmed) }
        let isThere: Void? = request.withValue(of: field) { text.appendWithLength($0) }
        if isThere == nil { text.appendWithLength([UInt8]()) }
    }
}

/// Makes equal texts of contents that mean the same.
public struct CanonicalForm: Sendable, Equatable {
    /// For people and keys; equal only for forms that make the same of each content.
    public let name: String
    private let make: @Sendable ([UInt8]) -> Result<[UInt8], UnkeyedContent>

    /// - Parameter make: returns the canonical text of content; called on any thread.
    public init(name: String, _ make: @escaping @Sendable ([UInt8]) -> Result<[UInt8], UnkeyedContent>) {
        self.name = name
        self.make = make
    }

    /// The canonical text of `content`, or why it has none.
    public func text(of content: [UInt8]) -> Result<[UInt8], UnkeyedContent> { make(content) }

    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
}

/// A request whose content belongs to the cache key.
public struct Question: Sendable {
    /// QUERY or POST.
    public var method: Method
    public var content: ByteChunk

    public init(_ method: Method, _ content: ByteChunk) {
        self.method = method
        self.content = content
    }
}

extension CachingOptions {
    /// How content of requests with `method` becomes a part of the key; nil if it does not.
    public func contentKeying(for method: Method) -> ContentKeying? {
        guard method == .post || method == .query else { return nil }
        let keying = contentKeyRule?.keyBody ?? (method == .query ? .bytes : .off)
        return keying == .off ? nil : keying
    }

    /// The rule that decides about content; nil: none does.
    package var contentKeyRule: CachingRule? { rules.last { !$0.isConditional && $0.keyBody != nil } }
}
