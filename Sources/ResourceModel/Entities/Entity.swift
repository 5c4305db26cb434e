public import Exchanges
public import HTTPCore
import ResourceCore

/// Content and what is known about it: media type, charset, header fields, and when it was last known to be valid
/// (S-076).
///
/// Where programs see content of any type, the entity is an `Entity<any Sendable>`.
public struct Entity<Content: Sendable>: Sendable {
    /// The data itself, as the pipeline made it: bytes (`[UInt8]`) unless a transformer parsed them.
    public var content: Content
    /// The charset that the content type names; nil if it names none (S-078).
    ///
    /// Decoded text is a `String`, whatever the charset is.
    public var charset: String?
    /// When the data was last known to be valid (S-080).
    public var timestamp: Timestamp
    private var fields: EntityHeaders

    /// Header fields: names in lower case, one value for each; repeated lines are joined with commas (S-079).
    ///
    /// An assigned dictionary may have names in any case. Of names that differ only in case, the lower-case one wins.
    public var headers: [String: String] {
        get { fields.values }
        set { fields = EntityHeaders(newValue) }
    }

    // MARK: Making one

    /// An entity as a response brought it (S-077, S-078).
    ///
    /// - Parameters:
    ///   - fields: the response's; type, charset and entity tag are read from them.
    ///   - content: of any type; bytes before a pipeline has read them.
    ///   - timestamp: when it was received.
    public init(response fields: Fields, content: Content, timestamp: Timestamp = .now) {
        self.content = content
        self.fields = EntityHeaders(fields)
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        charset = type?.parameter("charset").map { String(decoding: $0, as: UTF8.self) }
        self.timestamp = timestamp
    }

    /// An entity that the program makes, such as for `Resource.overrideLocalData` (S-081).
    ///
    /// - Parameters:
    ///   - content: of any type.
    ///   - contentType: wins over any content type in `headers` (S-258).
    ///   - charset: of the content, or of its source; not read from `contentType`.
    ///   - headers: names in any case.
    ///   - timestamp: when it was last known to be valid.
    public init(
        content: Content,
        contentType: String,
        charset: String? = nil,
        headers: [String: String] = [:],
        timestamp: Timestamp = .now
    ) {
        self.init(content: content, charset: charset, headers: headers, timestamp: timestamp)
        fields["content-type"] = contentType
    }

    /// An entity from all its parts, such as one that a cache kept (S-081).
    public init(
        content: Content,
        charset: String? = nil,
        headers: [String: String] = [:],
        timestamp: Timestamp = .now
    ) {
        self.content = content
        self.charset = charset
        fields = EntityHeaders(headers)
        self.timestamp = timestamp
    }

    private init(_ content: Content, charset: String?, fields: EntityHeaders, timestamp: Timestamp) {
        self.content = content
        self.charset = charset
        self.fields = fields
        self.timestamp = timestamp
    }

    // MARK: What is known

    /// The media type with its parameters; `application/octet-stream` where none was given (S-077).
    public var contentType: String { fields["content-type"] ?? "application/octet-stream" }

    /// The entity tag, as received.
    public var etag: String? { fields["etag"] }

    /// The value of a header field; `name` in any case.
    public func header(forKey name: String) -> String? { fields[name] }

    /// Sets a header field, or removes it; `name` in any case.
    public mutating func setHeader(_ value: String?, forKey name: String) { fields[name] = value }

    /// Notes that the data is valid at `time` (S-080).
    public mutating func touch(at time: Timestamp = .now) { timestamp = time }

    // MARK: Other content

    /// The entity with other content: charset, fields and timestamp stay.
    public func withContent<Other: Sendable>(_ content: Other) -> Entity<Other> {
        Entity<Other>(content, charset: charset, fields: fields, timestamp: timestamp)
    }

    /// The entity with its content as an `Other`; nil if it is not one (S-082).
    public func withContentRetyped<Other: Sendable>(_ type: Other.Type = Other.self) -> Entity<Other>? {
        (content as? Other).map { withContent($0) }
    }

    /// The entity for code that accepts content of any type.
    public var erased: Entity<any Sendable> {
        self as? Entity<any Sendable> ?? withContent(content as any Sendable)
    }
}

extension Entity: Equatable where Content: Equatable {}

extension Entity: TypedContentAccessors {
    public var entityForTypedContentAccessors: Entity<any Sendable>? { erased }
}
