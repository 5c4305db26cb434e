import HTTPCore

/// What the shared server knows of a resource as a whole, beside the records of its responses.
///
/// It has a version, the numbers of the latest load and of the latest stored one, and the fields that select responses.
/// It is text, since scripts read it: three numbers of fixed width, then a line with the names.
struct ResourceIndex: Equatable {
    /// Changes with each purge: records of another version are not used.
    var token: String
    /// The number of the latest load that began; in 16 hexadecimal digits, so that scripts can compare it as text.
    var latestLoad = none
    /// The number of the latest load whose response was stored.
    var latestStored = none
    /// Names in Vary, lower-cased.
    var vary: [[UInt8]]

    /// The number of no load.
    static let none = String(repeating: "0", count: 16)
    private static let widths = [32, 16, 16]
    private static let nameLimit = 64

    init(token: String, vary: [[UInt8]]) { (self.token, self.vary) = (token, vary) }

    init(_ bytes: [UInt8]) throws(RecordFault) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard lines.count == 2, numbers.map(\.count) == Self.widths, numbers.joined().allSatisfy(Self.isDigit) else {
            throw .foreign
        }
        token = String(decoding: numbers[0], as: UTF8.self)
        latestLoad = String(decoding: numbers[1], as: UTF8.self)
        latestStored = String(decoding: numbers[2], as: UTF8.self)
        vary = lines[1].split(separator: UInt8(ascii: ",")).map(Array.init)
        guard vary.count <= Self.nameLimit, vary.allSatisfy({ Token.isToken($0.span) }) else { throw .foreign }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }

    var encoded: [UInt8] { Array("\(token) \(latestLoad) \(latestStored)\n".utf8) + varyText }

    /// What changes when a response is stored, or the resource is purged.
    var content: String { token + latestStored }

    /// The names as scripts get them.
    var varyText: [UInt8] { Array(vary.joined(separator: [UInt8(ascii: ",")])) }

    /// A version that no other resource or purge has.
    static func newToken() -> String { randomDigits() + randomDigits() }

    /// 16 hexadecimal digits.
    static func randomDigits() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
