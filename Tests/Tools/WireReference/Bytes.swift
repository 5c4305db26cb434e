/// A message that cannot be read, or not yet.
public enum Verdict<Message: Equatable & Sendable>: Equatable, Sendable {
    /// The message and how many bytes of the input it takes.
    case message(Message, consumed: Int)
    /// More bytes could make it one.
    case incomplete
    /// The statuses it may be refused with: several where more than one fault stands in what was read.
    case refused(Set<Int>)
}

/// How much is accepted.
public struct Bounds: Sendable {
    public var method = 32
    public var target = 16 * 1024
    public var section = 64 * 1024
    public var lines = 256
    public var emptyLines = 8
    public var reason = 8 * 1024
    public var content: Int64?
    public var extensionLine = 4 * 1024
    public var extensions = 16 * 1024
    public var trailerSection = 16 * 1024
    public var trailerLines = 64

    public init() {}
}

/// A fault found while reading: where nothing more need be read.
struct Refusal: Error {
    var statuses: Set<Int>

    init(_ statuses: Int...) { self.statuses = Set(statuses) }
    init(_ statuses: Set<Int>) { self.statuses = statuses }
}

/// The bytes end inside the message.
struct Unfinished: Error {}

let carriageReturn: UInt8 = 13
let lineFeed: UInt8 = 10
let space: UInt8 = 32
let tab: UInt8 = 9

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func byte(_ character: Character) -> UInt8 { character.asciiValue ?? 0 }

func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

/// `tchar` (RFC 9110 §5.6.2).
func isTokenCharacter(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || bytes("!#$%&'*+-.^_`|~").contains(byte)
}

func isToken(_ text: [UInt8]) -> Bool { !text.isEmpty && text.allSatisfy(isTokenCharacter) }

/// What a field value may hold: all but controls, of which HTAB is allowed (H-024).
func isValueCharacter(_ byte: UInt8) -> Bool { byte == tab || (byte >= 32 && byte != 127) }

func lowercased(_ text: [UInt8]) -> [UInt8] { text.map { (65...90).contains($0) ? $0 + 32 : $0 } }
func trimmed(_ text: [UInt8]) -> [UInt8] {
    var text = text[...]
    while let first = text.first, isBlank(first) { text = text.dropFirst() }
    while let last = text.last, isBlank(last) { text = text.dropLast() }
    return Array(text)
}

/// The members of a comma-separated list, blanks around them taken off, empty ones included.
func members(_ text: [UInt8]) -> [[UInt8]] {
    text.split(separator: byte(","), omittingEmptySubsequences: false).map { trimmed(Array($0)) }
}

func hexadecimal(_ byte: UInt8) -> Int? {
    switch byte {
    case 48...57: Int(byte) - 48
    case 65...70: Int(byte) - 55
    case 97...102: Int(byte) - 87
    default: nil
    }
}

/// A decimal number of any length; nil above 2^63−1.
func number(_ digits: [UInt8]) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
        let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, larger) = product.addingReportingOverflow(Int64(digit) - 48)
        if tooLarge || larger { return nil }
        value = sum
    }
    return value
}
