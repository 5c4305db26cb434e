/// Splits a GraphQL document into tokens, without the ignored tokens of the language.
struct GraphQLScanner {
    enum Token: Equatable {
        case name(Range<Int>)
        /// A string or block string, with its quotation marks.
        case string(Range<Int>)
        case number(Range<Int>)
        /// One of `! $ & ( ) : = @ [ ] { | }`.
        case punctuator(UInt8, at: Int)
        /// `...`
        case spread(Range<Int>)

        /// Its bytes in the document.
        var range: Range<Int> {
            switch self {
            case .name(let range), .string(let range), .number(let range), .spread(let range): range
            case .punctuator(_, let index): index..<index + 1
            }
        }
    }

    enum Step: Equatable {
        case token(Token)
        case end
        /// What comes next is no token.
        case fault
    }

    let text: [UInt8]
    private var at = 0

    init(_ text: [UInt8]) { self.text = text }

    private func byte(_ offset: Int = 0) -> UInt8? {
        let index = at + offset
        return index < text.count ? text[index] : nil
    }

    mutating func next() -> Step {
        guard let byte = skipIgnored() else { return .end }
        let start = at
        switch byte {
        case 0x21, 0x24, 0x26, 0x28, 0x29, 0x3A, 0x3D, 0x40, 0x5B, 0x5D, 0x7B, 0x7C, 0x7D:
            at += 1
            return .token(.punctuator(byte, at: start))
        case 0x2E:
            guard self.byte(1) == 0x2E, self.byte(2) == 0x2E else { return .fault }
            at += 3
            return .token(.spread(start..<at))
        case 0x22: return readString() ? .token(.string(start..<at)) : .fault
        case 0x2D, 0x30...0x39:
            at += 1
            while let next = self.byte(), next.isNumeral { at += 1 }
            return .token(.number(start..<at))
        case 0x41...0x5A, 0x5F, 0x61...0x7A:
            while let next = self.byte(), next.isNameByte { at += 1 }
            return .token(.name(start..<at))
        default: return .fault
        }
    }

    /// Skips white space, line ends, commas, comments and byte order marks; returns the byte of the next token.
    private mutating func skipIgnored() -> UInt8? {
        while let byte = byte() {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20, 0x2C: at += 1
            case 0x23: while let next = self.byte(), next != 0x0A, next != 0x0D { at += 1 }
            case 0xEF where self.byte(1) == 0xBB && self.byte(2) == 0xBF: at += 3
            default: return byte
            }
        }
        return nil
    }

    /// Moves behind the string that begins here; returns false if it does not end.
    private mutating func readString() -> Bool {
        if byte(1) == 0x22, byte(2) == 0x22 { return readBlockString() }
        at += 1
        while let byte = byte() {
            switch byte {
            case 0x22:
                at += 1
                return true
            case 0x0A, 0x0D: return false
            case 0x5C:
                // A line end after it must not be skipped.
                guard let escaped = self.byte(1), escaped > 0x20 else { return false }
                at += 2
            default: at += 1
            }
        }
        return false
    }

    private mutating func readBlockString() -> Bool {
        at += 3
        while let byte = byte() {
            let hasQuotes = self.byte(1) == 0x22 && self.byte(2) == 0x22
            switch byte {
            case 0x22 where hasQuotes:
                at += 3
                return true
            case 0x5C where hasQuotes && self.byte(3) == 0x22: at += 4
            default: at += 1
            }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether it may continue a number; whether the number is valid is the server's to say.
    fileprivate var isNumeral: Bool { isNameByte || self == 0x2E || self == 0x2B || self == 0x2D }
}
