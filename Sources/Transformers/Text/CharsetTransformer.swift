import Formats
import HTTPCore
public import Transforms

/// Turns text into UTF-8: `text/…`, JSON, XML and JavaScript; what has another type stays as it is.
///
/// The encoding is what a byte order mark says (which goes), else the charset parameter of Content-Type wherever it
/// stands (S-078), else what an XML declaration or a `<meta>` within the first 1024 bytes says. Text that says nothing
/// is UTF-8, except that what is neither JSON nor XML is taken for windows-1252 if its first bytes beyond ASCII are no
/// UTF-8: RFC 9110 has no default any more, and browsers do so. Labels mean what the WHATWG Encoding Standard says; the
/// charset of the result is `utf-8`.
///
/// Bytes that are no character fail with `.invalidContent` and their position, an unknown charset with `.unsupported`.
/// Streams.
public struct CharsetTransformer: StreamingTransformer {
    /// - Parameter charset: `utf-8`; there is no other to turn to.
    public init(to charset: String = "utf-8") throws(TransformerOptionError) {
        guard CharacterEncoding(label: Array(charset.utf8)) == .utf8 else {
            throw TransformerOptionError("`charset` is \"utf-8\": text is turned into nothing else")
        }
    }

    public var name: String { "charset" }
    public var fingerprint: String { "charset:utf-8" }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard let type = TextualTypes.type(of: head.fields) else { return nil }
        var named: CharacterEncoding?
        if let label = type.parameter("charset"), !label.isEmpty {
            guard let encoding = CharacterEncoding(label: label) else { throw Transcoding.unknown(label) }
            named = encoding
        }
        head.fields.set(.contentType, Self.relabelled(type))
        head.fields.remove(.contentLength)
        let isHTML = type.essence.elementsEqual("text/html".utf8)
        let isXML = TextualTypes.isXML(type)
        return Transcoding(
            named: named,
            declaration: isXML ? .xml : isHTML ? .html : .none,
            mayBeLegacy: !isXML && !TextualTypes.isJSON(type)
        )
    }

    /// The type with `charset=utf-8` in the place of its charset, or behind its parameters.
    private static func relabelled(_ type: MediaType) -> [UInt8] {
        var value = type.essence
        var hasCharset = false
        for parameter in type.parameters {
            let isCharset = parameter.name.elementsEqual("charset".utf8)
            if isCharset && hasCharset { continue }
            value += [0x3B, 0x20] + parameter.name + [0x3D]
            if isCharset {
                hasCharset = true
                value += Array("utf-8".utf8)
            } else if Token.isToken(parameter.value.span) {
                value += parameter.value
            } else {
                appendQuoted(parameter.value, to: &value)
            }
        }
        if !hasCharset { value += Array("; charset=utf-8".utf8) }
        return value
    }

    /// As a quoted string (RFC 9110 §5.6.4); the bytes came out of one.
    private static func appendQuoted(_ text: [UInt8], to value: inout [UInt8]) {
        value.append(0x22)
        for byte in text {
            if byte == 0x22 || byte == 0x5C { value.append(0x5C) }
            value.append(byte)
        }
        value.append(0x22)
    }
}
