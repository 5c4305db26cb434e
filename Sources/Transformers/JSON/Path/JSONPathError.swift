/// Why a text is no path (RFC 9535) or pointer (RFC 6901).
struct JSONPathError: Error, Equatable, Sendable {
    /// A sentence for a person, without the place.
    var userMessage: String
    /// In characters, from 1.
    var column: Int
}
