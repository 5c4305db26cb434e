/// A piece of JSON text that means something: what lies between white space (RFC 8259 §2).
package struct JSONToken: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case beginObject, endObject, beginArray, endArray
        /// A colon.
        case nameSeparator
        /// A comma.
        case valueSeparator
        /// A string that names a member, with its quotes.
        case name
        /// A string that is a value, with its quotes.
        case string
        case number
        /// `true`, `false` or `null`.
        case literal

        /// Whether a value begins with it.
        package var beginsValue: Bool {
            switch self {
            case .beginObject, .beginArray, .string, .number, .literal: true
            case .endObject, .endArray, .nameSeparator, .valueSeparator, .name: false
            }
        }
    }

    package var kind: Kind
    /// Where it stands in the span the scanner was given.
    package var range: Range<Int>
    /// False for what follows of a token that began in an earlier piece of the text.
    package var isStart: Bool
}
