public import HTTPCore
import ResourceCore

/// A request as it goes to the network; configured mutations and the caller's own change it (S-051).
public struct HTTPRequest: Sendable {
    private enum Content {
        case none
        case bytes([UInt8])
        case file(String)
    }

    public var method: Method
    public var url: TargetURI
    /// End-to-end fields, without `Host` and `Content-Length`, which the provider writes.
    public var fields: Fields
    private var content = Content.none

    /// Where the content of a successful response goes, in place of memory: the path of a file (see
    /// `Resource.download(to:)`); nil: into memory.
    ///
    /// Only the service uses it; providers leave it alone.
    public var destination: String?

    /// Receives the content of the response, for providers that transfer files; nil: into memory.
    public var sink: (any ContentSink)?

    /// Bytes to send; nil: no content, or that of `bodyFile`, which a new value replaces.
    public var body: [UInt8]? {
        get { if case .bytes(let bytes) = content { bytes } else { nil } }
        set { content = newValue.map { .bytes($0) } ?? .none }
    }

    /// The path of a file whose bytes are the content; nil: there is none, or that of `body`, which a new value
    /// replaces.
    ///
    /// Only providers that transfer files see it; others find the file's bytes in `body`.
    public var bodyFile: String? {
        get { if case .file(let path) = content { path } else { nil } }
        set { if newValue != nil || bodyFile != nil { content = newValue.map { .file($0) } ?? .none } }
    }

    public init(method: Method, url: TargetURI, fields: Fields = Fields(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// The value of the field `name` (any case); repeated lines are joined with a comma.
    ///
    /// Setting leaves exactly one line, or none for nil. A name that is no token is ignored. Bytes that a value must
    /// not contain become blanks.
    public subscript(field name: String) -> String? {
        get {
            let values = fields.values(named: Array(name.utf8))
            return values.isEmpty ? nil : values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        }
        set {
            let bytes = Array(name.utf8)
            guard Token.isToken(bytes.span) else { return }
            fields.remove(named: bytes)
            if let newValue { fields.append(name: bytes, value: Self.fieldValue(newValue)) }
        }
    }

    /// Sets the field `name`, like the subscript; Siesta's model has this name.
    public mutating func setValue(_ value: String?, forField name: String) { self[field: name] = value }

    /// A value contains no line end, NUL or outer blanks (RFC 9110 §5.5).
    private static func fieldValue(_ text: String) -> [UInt8] {
        let bytes = text.utf8.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(bytes[first...last])
    }
}
