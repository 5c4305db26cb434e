import HTTPCore

/// Checks, byte by byte, whether text begins with an absolute http(s) URL that does not lead to the gateway.
struct LinkMatcher {
    /// The result so far.
    enum Verdict { case undecided, foreign, none }

    private enum Phase: Equatable {
        /// In `http`, with the number of bytes so far.
        case scheme(Int)
        /// Before `s` or the colon.
        case afterHTTP
        case colon
        /// After the colon, with the number of slashes so far.
        case slashes(Int)
        case authority
    }

    private static let http = Array("http".utf8)
    /// No host name is longer.
    private static let longestAuthority = 260

    private let gateway: [UInt8]
    private var phase = Phase.scheme(0)
    private var authority: [UInt8] = []

    init(_ prefix: LinkPrefix) { gateway = prefix.authority }

    /// Consumes the next byte, decoded from any escape of the surrounding language.
    mutating func consume(_ byte: UInt8) -> Verdict {
        let byte = byte.asciiLowercased
        switch phase {
        case .scheme(let count):
            guard byte == Self.http[count] else { return .none }
            phase = count == 3 ? .afterHTTP : .scheme(count + 1)
        case .afterHTTP:
            guard byte == 0x73 || byte == 0x3A else { return .none }
            phase = byte == 0x73 ? .colon : .slashes(0)
        case .colon:
            guard byte == 0x3A else { return .none }
            phase = .slashes(0)
        case .slashes(let count):
            guard byte == 0x2F else { return .none }
            phase = count == 0 ? .slashes(1) : .authority
        case .authority:
            if Self.isNameByte(byte) || byte >= 0x80 || Self.delimiters.contains(byte) {
                authority.append(byte)
                return authority.count > Self.longestAuthority ? .none : .undecided
            }
            return end()
        }
        return .undecided
    }

    /// Ends the text or the authority.
    func end() -> Verdict {
        phase == .authority && !authority.isEmpty && authority != gateway && !authority.contains(0x40)
            ? .foreign : .none
    }

    /// `:`, `[`, `]`, `%` and `@`: URLs with user information are left alone.
    private static let delimiters: [UInt8] = [0x3A, 0x5B, 0x5D, 0x25, 0x40]

    /// Letters, digits, `.`, `-` and `_`.
    static func isNameByte(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2E || byte == 0x2D || byte == 0x5F
    }
}
