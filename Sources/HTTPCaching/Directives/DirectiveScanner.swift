import HTTPCore

/// One member of a Cache-Control list (RFC 9111 §5.2).
struct Directive {
    enum Argument {
        case none
        /// The unquoted text behind `=`, valid or not.
        case token(Range<Int>)
        /// The text between quotes, with its backslashes.
        case quoted(Range<Int>)
        /// A quoted string with other text behind it.
        case malformed
    }

    var name: Range<Int>
    var argument: Argument
}

/// Reads the directives of a list one after the other, without allocating.
///
/// A comma inside a quoted string does not separate. Members without a name, or with blanks around `=`, are no
/// directives and are skipped (C-2.1, C-21.1).
struct DirectiveScanner {
    private var position = 0
    /// Whether a quoted string did not end: it may hide directives, so the field must not be trusted to grant
    /// freshness.
    private(set) var foundUnterminatedString = false

    mutating func next(in list: Span<UInt8>) -> Directive? {
        while position < list.count {
            let member = nextMember(in: list)
            if let directive = Self.directive(in: list, member) { return directive }
        }
        return nil
    }

    /// The range up to the next comma outside of quotes, without blanks at its ends.
    private mutating func nextMember(in list: Span<UInt8>) -> Range<Int> {
        let start = position
        var isQuoted = false
        while position < list.count {
            let byte = list[position]
            if isQuoted {
                if byte == 0x5C { position += 1 } else if byte == 0x22 { isQuoted = false }
            } else if byte == 0x22 {
                isQuoted = true
            } else if byte == 0x2C {
                break
            }
            position += 1
        }
        if isQuoted { foundUnterminatedString = true }
        let end = min(position, list.count)
        position = end + 1
        return list.trimming(start..<end)
    }

    private static func directive(in list: Span<UInt8>, _ member: Range<Int>) -> Directive? {
        var end = member.lowerBound
        while end < member.upperBound, list[end].isTokenByte { end += 1 }
        let name = member.lowerBound..<end
        guard !name.isEmpty else { return nil }
        guard end < member.upperBound else { return Directive(name: name, argument: .none) }
        guard list[end] == 0x3D else { return nil }
        let value = (end + 1)..<member.upperBound
        guard let first = value.first else { return Directive(name: name, argument: .token(value)) }
        if list[first].isBlank { return nil }
        guard list[first] == 0x22 else { return Directive(name: name, argument: .token(value)) }
        return Directive(name: name, argument: quotedArgument(in: list, value))
    }

    /// The text between the quote that `value` begins with and one at its very end.
    private static func quotedArgument(in list: Span<UInt8>, _ value: Range<Int>) -> Directive.Argument {
        var index = value.lowerBound + 1
        while index < value.upperBound, list[index] != 0x22 { index += list[index] == 0x5C ? 2 : 1 }
        guard index == value.upperBound - 1 else { return .malformed }
        return .quoted((value.lowerBound + 1)..<index)
    }
}

extension Directive {
    /// The argument as seconds; nil if it is missing or malformed.
    func seconds(in list: Span<UInt8>) -> Int64? {
        switch argument {
        case .token(let range), .quoted(let range): DeltaSeconds.parse(list, in: range)
        case .none, .malformed: nil
        }
    }

    /// The argument as a list of lower-cased field names; nil if it is missing or malformed.
    func fieldNames(in list: Span<UInt8>) -> [[UInt8]]? {
        switch argument {
        case .none, .malformed: return nil
        case .token(let range), .quoted(let range):
            var names: [[UInt8]] = []
            var name: [UInt8] = []
            for index in range {
                if list[index].isTokenByte {
                    name.append(list[index].asciiLowercased)
                } else if list[index] == 0x2C || list[index].isBlank {
                    if !name.isEmpty { names.append(name) }
                    name = []
                } else {
                    return nil
                }
            }
            if !name.isEmpty { names.append(name) }
            return names.isEmpty ? nil : names
        }
    }
}
