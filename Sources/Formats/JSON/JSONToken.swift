/// A token of JSON text (RFC 8259 §2).
package struct JSONToken: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case beginObject, endObject, beginArray, endArray
        /// A colon.
        case nameSeparator
        /// A comma.
        case valueSeparator
        /// The name of a member, with its quotes.
        case name
        /// A string value, with its quotes.
        case string
        case number
        /// `true`, `false` or `null`.
        case literal

        /// Whether this token begins a value.
        package var beginsValue: Bool {
            switch self {
            case .beginObject, .beginArray, .string, .number, .literal: true
            case .endObject, .endArray, .nameSeparator, .valueSeparator, .name: false
            }
        }
    }

    package var kind: Kind
    /// Its range in the span given to the scanner.
    package var range: Range<Int>
    /// False if the token began in an earlier piece of the text.
    package var isStart: Bool
}
