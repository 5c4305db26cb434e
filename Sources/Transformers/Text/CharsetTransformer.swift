import Formats
import HTTPCore
public import Transforms

/// Converts text to UTF-8: `text/…`, JSON, XML and JavaScript.
///
/// Content of another type stays as it is.
///
/// A byte order mark decides the encoding first, and is removed. Next comes the charset parameter of Content-Type,
/// wherever it is among the parameters (S-078). Last comes an XML declaration or a `<meta>` within the first 1024
/// bytes.
///
/// Text without any of them is UTF-8. But if the first bytes beyond ASCII are not UTF-8, and the content is neither
/// JSON nor XML, it is windows-1252. RFC 9110 no longer has a default, and browsers do the same. Labels mean what the
/// WHATWG Encoding Standard says. The result has the charset `utf-8`.
///
/// It streams. It fails with `.invalidContent` and the position for bytes that are not a character, and with
/// `.unsupported` for an unknown charset.
public struct CharsetTransformer: StreamingTransformer {
    /// - Parameter charset: `utf-8`; there is no other target.
    public init(to charset: String = "utf-8") throws(TransformerOptionError) {
        guard CharacterEncoding(label: Array(charset.utf8)) == .utf8 else {
            throw TransformerOptionError("`charset` must be \"utf-8\": there is no other target")
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

    /// The type with `charset=utf-8` instead of its charset, or after its parameters.
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

    /// Appends a quoted string (RFC 9110 §5.6.4).
    ///
    /// The bytes came from one.
    private static func appendQuoted(_ text: [UInt8], to value: inout [UInt8]) {
        value.append(0x22)
        for byte in text {
            if byte == 0x22 || byte == 0x5C { value.append(0x5C) }
            value.append(byte)
        }
        value.append(0x22)
    }
}
