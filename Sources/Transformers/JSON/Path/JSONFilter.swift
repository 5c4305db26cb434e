/// A logical expression of a filter selector (RFC 9535 §2.3.5).
indirect enum JSONFilter: Sendable {
    case any([JSONFilter])
    case all([JSONFilter])
    case not(JSONFilter)
    case exists(JSONQuery)
    case compare(JSONComparable, JSONComparison, JSONComparable)
    case matches(JSONPatternTest)
}

enum JSONComparison: Sendable { case equal, unequal, less, lessOrEqual, greater, greaterOrEqual }

/// An expression for one value or for nothing (RFC 9535 §2.4.1: ValueType).
indirect enum JSONComparable: Sendable {
    case literal(JSONLiteral)
    /// A query that finds one value at most.
    case singular(JSONQuery)
    case length(JSONComparable)
    case count(JSONQuery)
    case value(JSONQuery)
}

enum JSONLiteral: Sendable {
    /// The value of a string literal.
    case string([UInt8])
    /// The text of a number literal.
    case number([UInt8])
    case `true`, `false`, null
}

/// A call of `match` or `search` (RFC 9535 §2.4.6 and §2.4.7).
struct JSONPatternTest: Sendable {
    var subject: JSONComparable
    var pattern: JSONComparable
    /// The compiled pattern, if it is a literal.
    var compiled: IRegexp?
    /// Whether the pattern must match the whole string.
    var isWhole: Bool
}
