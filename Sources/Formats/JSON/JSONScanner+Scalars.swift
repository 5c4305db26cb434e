import HTTPCore

extension JSONScanner {
    /// Continues a string until it or `input` ends.
    mutating func string(
        _ input: Span<UInt8>,
        _ at: inout Int,
        _ kind: JSONToken.Kind,
        _ begun: StringState,
        from start: Int,
        isStart: Bool
    ) throws(JSONSyntaxError) -> JSONToken {
        var state = begun
        while at < input.count {
            let byte = input[at]
            switch state {
            case .plain:
                if JSONByte.isPlain(byte) {
                    at += 1
                    continue
                }
                if byte == 0x22 {
                    at += 1
                    lexeme = .none
                    return JSONToken(kind: kind, range: start..<at, isStart: isStart)
                }
                state = try special(byte, at)
            case .escape:
                if byte == 0x75 {
                    state = .hexadecimal(4)
                } else if JSONByte.unescaped(byte) != nil {
                    state = .plain
                } else {
                    throw error(.expected("one of `\"\\/bfnrtu` after a backslash"), at: at)
                }
            case .hexadecimal(let missing):
                guard Hexadecimal.value(byte) != nil else {
                    throw error(.expected("a hexadecimal digit"), at: at)
                }
                state = missing == 1 ? .plain : .hexadecimal(missing - 1)
            case .character(var sequence):
                guard sequence.accept(byte) else { throw error(.expected("well-formed UTF-8"), at: at) }
                noteContinuation()
                state = sequence.isComplete ? .plain : .character(sequence)
            }
            at += 1
        }
        lexeme = .string(kind, state)
        return JSONToken(kind: kind, range: start..<at, isStart: isStart)
    }

    /// The state after a byte that begins an escape or a character beyond ASCII.
    private func special(_ byte: UInt8, _ at: Int) throws(JSONSyntaxError) -> StringState {
        if byte == 0x5C { return .escape }
        if byte < 0x20 { throw error(.expected("an escape, not a control character"), at: at) }
        guard let sequence = UTF8Sequence(first: byte) else { throw error(.expected("well-formed UTF-8"), at: at) }
        return .character(sequence)
    }

    /// Continues a number until it or `input` ends; returns nil if it ended with the previous span.
    mutating func number(
        _ input: Span<UInt8>,
        _ at: inout Int,
        _ begun: NumberState,
        from start: Int,
        isStart: Bool
    ) throws(JSONSyntaxError) -> JSONToken? {
        var state = begun
        while at < input.count {
            guard let following = state.following(input[at]) else {
                guard state.isComplete else { throw error(.expected("a digit"), at: at) }
                lexeme = .none
                return at == start ? nil : JSONToken(kind: .number, range: start..<at, isStart: isStart)
            }
            state = following
            at += 1
        }
        lexeme = .number(state)
        return JSONToken(kind: .number, range: start..<at, isStart: isStart)
    }
}

extension JSONScanner.NumberState {
    /// Whether a number may end here.
    package var isComplete: Bool {
        switch self {
        case .zero, .integer, .fraction, .exponent: true
        case .minus, .point, .exponentMark, .exponentSign: false
        }
    }

    /// The state after `byte`; nil if `byte` does not belong to the number (RFC 8259 §6).
    package func following(_ byte: UInt8) -> Self? {
        let isDigit = JSONByte.isDigit(byte)
        switch self {
        case .minus: return isDigit ? (byte == 0x30 ? .zero : .integer) : nil
        case .zero: return afterInteger(byte)
        case .integer: return isDigit ? .integer : afterInteger(byte)
        case .point: return isDigit ? .fraction : nil
        case .fraction:
            if isDigit { return .fraction }
            return byte | 0x20 == 0x65 ? .exponentMark : nil
        case .exponentMark:
            if isDigit { return .exponent }
            return byte == 0x2B || byte == 0x2D ? .exponentSign : nil
        case .exponentSign, .exponent: return isDigit ? .exponent : nil
        }
    }

    private func afterInteger(_ byte: UInt8) -> Self? {
        if byte == 0x2E { return .point }
        return byte | 0x20 == 0x65 ? .exponentMark : nil
    }
}
