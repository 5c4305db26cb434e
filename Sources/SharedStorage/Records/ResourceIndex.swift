import HTTPCore

/// What the shared server knows of a resource as a whole: its version, and the fields that select its responses.
///
/// As text, since scripts read it: the token, then a line with the names.
struct ResourceIndex: Equatable {
    /// Changes with each purge: records of another version are not used.
    var token: String
    /// Names in Vary, lower-cased.
    var vary: [[UInt8]]

    private static let tokenLimit = 32
    private static let nameLimit = 64

    init(token: String, vary: [[UInt8]]) { (self.token, self.vary) = (token, vary) }

    init(_ bytes: [UInt8]) throws(RecordFault) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, 1...Self.tokenLimit ~= lines[0].count, lines[0].allSatisfy(Self.isDigit) else {
            throw .foreign
        }
        token = String(decoding: lines[0], as: UTF8.self)
        vary = lines[1].split(separator: UInt8(ascii: ",")).map(Array.init)
        guard vary.count <= Self.nameLimit, vary.allSatisfy({ Token.isToken($0.span) }) else { throw .foreign }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }

    var encoded: [UInt8] { Array(token.utf8) + [0x0A] + varyText }

    /// The names as scripts get them.
    var varyText: [UInt8] { Array(vary.joined(separator: [UInt8(ascii: ",")])) }

    /// A version that no other resource or purge has.
    static func newToken() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
