/// A message that cannot be read, or not yet.
public enum Verdict<Message: Equatable & Sendable>: Equatable, Sendable {
    /// The message and how many octets of the input it takes.
    case message(Message, consumed: Int)
    /// More octets could make it one.
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

/// The octets end inside the message.
struct Unfinished: Error {}

let carriageReturn: UInt8 = 13
let lineFeed: UInt8 = 10
let space: UInt8 = 32
let tab: UInt8 = 9

func octets(_ text: String) -> [UInt8] { Array(text.utf8) }
func octet(_ character: Character) -> UInt8 { character.asciiValue ?? 0 }

func isDigit(_ octet: UInt8) -> Bool { (48...57).contains(octet) }
func isLetter(_ octet: UInt8) -> Bool { (65...90).contains(octet) || (97...122).contains(octet) }
func isBlank(_ octet: UInt8) -> Bool { octet == space || octet == tab }

/// `tchar` (RFC 9110 §5.6.2).
func isTokenCharacter(_ octet: UInt8) -> Bool {
    isLetter(octet) || isDigit(octet) || octets("!#$%&'*+-.^_`|~").contains(octet)
}

func isToken(_ text: [UInt8]) -> Bool { !text.isEmpty && text.allSatisfy(isTokenCharacter) }

/// What a field value may hold: all but controls, of which HTAB is allowed (H-024).
func isValueCharacter(_ octet: UInt8) -> Bool { octet == tab || (octet >= 32 && octet != 127) }

func lowercased(_ text: [UInt8]) -> [UInt8] { text.map { (65...90).contains($0) ? $0 + 32 : $0 } }
func trimmed(_ text: [UInt8]) -> [UInt8] {
    var text = text[...]
    while let first = text.first, isBlank(first) { text = text.dropFirst() }
    while let last = text.last, isBlank(last) { text = text.dropLast() }
    return Array(text)
}

/// The members of a comma-separated list, blanks around them taken off, empty ones included.
func members(_ text: [UInt8]) -> [[UInt8]] {
    text.split(separator: octet(","), omittingEmptySubsequences: false).map { trimmed(Array($0)) }
}

func hexadecimal(_ octet: UInt8) -> Int? {
    switch octet {
    case 48...57: Int(octet) - 48
    case 65...70: Int(octet) - 55
    case 97...102: Int(octet) - 87
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
