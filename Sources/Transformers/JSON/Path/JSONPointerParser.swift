import Formats

/// Parses pointers (RFC 6901): empty, or tokens that each begin with `/`.
enum JSONPointerParser {
    static func parse(_ text: String) throws(JSONPathError) -> JSONQuery {
        var segments: [JSONSegment] = []
        var token: [UInt8]?
        var isEscape = false
        var column = 0
        for scalar in text.unicodeScalars {
            column += 1
            if isEscape {
                guard scalar == "0" || scalar == "1" else { throw Self.badEscape(column) }
                token?.append(scalar == "0" ? 0x7E : 0x2F)
                isEscape = false
                continue
            }
            switch scalar {
            case "/":
                if let token { segments.append(segment(token)) }
                token = []
            case "~": isEscape = true
            default: token?.append(contentsOf: Array(String(scalar).utf8))
            }
            if token == nil { throw JSONPathError(userMessage: "a pointer begins with `/`", column: column) }
        }
        if isEscape { throw Self.badEscape(column + 1) }
        if let token { segments.append(segment(token)) }
        return JSONQuery(segments: segments, isAbsolute: true)
    }

    private static func badEscape(_ column: Int) -> JSONPathError {
        JSONPathError(userMessage: "`~` is followed by 0 or 1 in a pointer", column: column)
    }

    private static func segment(_ token: [UInt8]) -> JSONSegment {
        JSONSegment(isDescendant: false, selectors: [.reference(token, index: index(token))])
    }

    /// The array index that a token denotes: digits without leading zeros.
    private static func index(_ token: [UInt8]) -> Int? {
        guard !token.isEmpty, token.count < 16, token.allSatisfy(JSONByte.isDigit) else { return nil }
        guard token.count == 1 || token.first != 0x30 else { return nil }
        return token.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
