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

/// What stands for a value, or for nothing (RFC 9535 §2.4.1: ValueType).
indirect enum JSONComparable: Sendable {
    case literal(JSONLiteral)
    /// Finds one value at most.
    case singular(JSONQuery)
    case length(JSONComparable)
    case count(JSONQuery)
    case value(JSONQuery)
}

enum JSONLiteral: Sendable {
    /// What the string says.
    case string([UInt8])
    /// As in JSON text.
    case number([UInt8])
    case `true`, `false`, null
}

/// A call of `match` or `search` (RFC 9535 §2.4.6 and §2.4.7).
struct JSONPatternTest: Sendable {
    var subject: JSONComparable
    var pattern: JSONComparable
    /// The pattern if it is a literal.
    var compiled: IRegexp?
    /// The pattern must match the whole string.
    var isWhole: Bool
}
