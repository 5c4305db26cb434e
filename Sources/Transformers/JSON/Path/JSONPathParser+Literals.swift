import Formats
import HTTPCore

extension JSONPathParser {
    /// string-literal, in double or single quotes (RFC 9535 §2.3.1.1); returns its value.
    mutating func quoted() throws(JSONPathError) -> [UInt8] {
        let start = at
        guard let quote = peek else { throw error("a string is missing") }
        at += 1
        var result: [UInt8] = []
        while let byte = peek {
            if byte == quote {
                at += 1
                return result
            }
            if byte < 0x20 { throw error("a control character in a string is written as an escape") }
            if byte == 0x5C {
                try escape(quote, to: &result)
            } else {
                result.append(byte)
                at += 1
            }
        }
        throw error("the string that begins here does not end", at: start)
    }

    private mutating func escape(_ quote: UInt8, to result: inout [UInt8]) throws(JSONPathError) {
        let start = at
        at += 1
        guard let byte = peek else { throw error("an escape is not complete", at: start) }
        if byte == 0x75 {
            at += 1
            UTF8Scalar.append(try codePoint(start), to: &result)
        } else if let plain = byte == 0x22 || byte == 0x27
            ? (byte == quote ? byte : nil) : JSONByte.unescaped(byte)
        {
            result.append(plain)
            at += 1
        } else {
            throw error("there is no such escape", at: start)
        }
    }

    /// hexchar, after `\u`.
    private mutating func codePoint(_ start: Int) throws(JSONPathError) -> UInt32 {
        let unit = try fourDigits(start)
        if unit & 0xFC00 == 0xDC00 { throw error("a low surrogate does not follow a high one", at: start) }
        guard unit & 0xFC00 == 0xD800 else { return unit }
        guard consume("\\u") else { throw error("a high surrogate is not followed by a low one", at: start) }
        let low = try fourDigits(start)
        guard low & 0xFC00 == 0xDC00 else { throw error("a high surrogate is not followed by a low one", at: start) }
        return 0x1_0000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
    }

    private mutating func fourDigits(_ start: Int) throws(JSONPathError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hexadecimal.value(byte) else {
                throw error("`\\u` is followed by four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }

    /// number = (int / "-0") [ frac ] [ exp ]; returns its text.
    mutating func number() throws(JSONPathError) -> [UInt8] {
        let start = at
        var state: JSONScanner.NumberState?
        while let byte = peek {
            let following: JSONScanner.NumberState?
            if let state {
                following = state.following(byte)
            } else {
                following = byte == 0x2D ? .minus : JSONScanner.NumberState.minus.following(byte)
            }
            guard let following else { break }
            state = following
            at += 1
        }
        guard let state, state.isComplete else { throw error("a digit is missing") }
        if state == .zero, let byte = peek, JSONByte.isDigit(byte) {
            throw error("the number has a leading zero", at: start)
        }
        return Array(bytes[start..<at])
    }
}
