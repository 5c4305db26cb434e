public import HTTPCore
public import Transforms

/// Applies a content coding: the one that the client prefers among those offered, or always the same.
///
/// It negotiates by Accept-Encoding (RFC 9110 §12.5.3) and adds that to Vary. It leaves content alone that has a
/// coding, whose type is already compressed, or that must not wait, such as event streams. It also leaves content alone
/// that is known to be shorter than 256 bytes, unless the client refuses identity.
///
/// With `always` it does not negotiate. It applies all codings, the first innermost, even to content that has one.
public struct EncodeTransformer: StreamingTransformer {
    /// The codings, the best first, or the innermost first if `always` is set.
    public let codings: [ContentCoding]
    public let always: Bool
    /// Content that is known to be shorter does not gain enough.
    static let minimumLength = 256

    /// - Parameter names: the names of codings, the best first, or the innermost first if `always` is set.
    public init(codings names: [String], always: Bool = false) throws(TransformerOptionError) {
        var codings: [ContentCoding] = []
        for name in names {
            guard let coding = ContentCoding(name: name) else {
                throw TransformerOptionError(
                    "`encode` does not know the coding \(Quoted(Array(name.utf8))); it knows gzip, deflate, br and zstd"
                )
            }
            guard always || !codings.contains(coding) else {
                throw TransformerOptionError("`encode` names the coding `\(coding.rawValue)` twice")
            }
            codings.append(coding)
        }
        guard !codings.isEmpty else { throw TransformerOptionError("`encode` names no coding") }
        self.codings = codings
        self.always = always
    }

    public var name: String { "encode" }
    public var fingerprint: String {
        "encode:" + codings.map(\.rawValue).joined(separator: ",") + (always ? ":always" : "")
    }

    /// The chosen coding; `!` means that the client refuses identity.
    public func variation(for request: Fields) -> String {
        guard !always else { return "" }
        let wish = AcceptEncoding(request)
        guard let coding = wish.best(of: codings) else { return "identity" }
        return wish.forbidsIdentity ? coding.rawValue + "!" : coding.rawValue
    }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        let chosen = always ? codings : negotiated(&head, context.request).map { [$0] } ?? []
        guard !chosen.isEmpty else { return nil }
        let applied = ListMembers.members(of: .contentEncoding, in: head.fields)
            .filter { !Token.matches($0.span, "identity") }
        let all = applied + chosen.map { Array($0.rawValue.utf8) }
        head.fields.set(.contentEncoding, Array(all.joined(separator: [0x2C, 0x20])))
        head.fields.remove(.contentLength)
        return chosen.count == 1 ? CodingEncoder(chosen[0]) : TransformerChain(chosen.map(CodingEncoder.init))
    }

    /// Chooses the coding, and adds to Vary what the choice depends on.
    private func negotiated(_ head: inout EntityHead, _ request: Fields) -> ContentCoding? {
        let isCoded = ListMembers.members(of: .contentEncoding, in: head.fields)
            .contains { !Token.matches($0.span, "identity") }
        guard !isCoded, CodableTypes.gains(head.fields) else { return nil }
        head.fields.addVary("Accept-Encoding")
        let wish = AcceptEncoding(request)
        if !wish.forbidsIdentity, let length = head.fields.contentLength, length < Self.minimumLength { return nil }
        return wish.best(of: codings)
    }
}

extension Fields {
    /// The value of Content-Length, if it is a single number.
    var contentLength: Int? {
        guard count(of: .contentLength) == 1 else { return nil }
        return text(of: .contentLength).flatMap { Int($0) }
    }

    /// Adds `field` to Vary, unless Vary has it already, or has `*`.
    mutating func addVary(_ field: StaticString) {
        let isThere = ListMembers.members(of: .vary, in: self)
            .contains { $0 == [0x2A] || Token.matches($0.span, Array(field.description.utf8).span) }
        if !isThere { append(.vary, Array(field.description.utf8)) }
    }
}
