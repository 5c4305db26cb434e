/// Why a text is not a path (RFC 9535) or pointer (RFC 6901).
struct JSONPathError: Error, Equatable, Sendable {
    /// A sentence for people, without the position.
    var userMessage: String
    /// In characters, from 1.
    var column: Int
}
