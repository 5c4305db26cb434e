/// Hexadecimal digits in ASCII.
public enum Hexadecimal {
    /// The digit of a value from 0 to 15, in lower case.
    public static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }

    /// The digit of a value from 0 to 15, in upper case, as percent-encoding uses it (RFC 3986 §2.1).
    public static func capital(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    /// The value of a digit in either case; nil if the byte is no digit.
    public static func value(_ digit: UInt8) -> UInt8? { digit.hexDigit }
}
