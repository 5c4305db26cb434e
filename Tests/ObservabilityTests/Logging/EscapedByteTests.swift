import HTTPCore
import Testing

@testable import Observability

/// How each byte stands in a line, by either way of writing it.
@Suite struct EscapedByteTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// What the byte is inside quotation marks.
    private static func inner(_ byte: UInt8) -> String {
        switch byte {
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x22: "\\\""
        case 0x5C: "\\\\"
        case 0x20...0x7E: String(UnicodeScalar(byte))
        default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    private static func written(_ bytes: [UInt8], _ write: (Span<UInt8>, inout LineWriter) -> Void) -> String {
        var output: [UInt8] = []
        output.append(room: LogEscaping.room(for: bytes.span)) { line in write(bytes.span, &line) }
        return text(output)
    }

    @Test("a byte is bare, quoted or escaped, and nothing else")
    func each() {
        for byte in UInt8.min...UInt8.max {
            let inner = Self.inner(byte)
            let isBare = (0x21...0x7E).contains(byte) && ![0x22, 0x3D, 0x5C].contains(byte)
            let expected = isBare ? inner : "\"\(inner)\""
            var output: [UInt8] = []
            LogEscaping.append([byte], to: &output)
            #expect(Self.text(output) == expected, "\(byte)")
            #expect(Self.written([byte]) { LogEscaping.append($0, to: &$1) } == expected, "\(byte)")
            output = []
            LogEscaping.appendInner([byte], to: &output)
            #expect(Self.text(output) == inner, "\(byte)")
            #expect(Self.written([byte]) { LogEscaping.appendInner($0, to: &$1) } == inner, "\(byte)")
        }
    }

    @Test("nothing is a pair of quotation marks, and inside of them nothing")
    func empty() {
        var output: [UInt8] = []
        LogEscaping.append([], to: &output)
        #expect(Self.text(output) == "\"\"")
        #expect(Self.written([]) { LogEscaping.append($0, to: &$1) } == "\"\"")
        #expect(Self.written([]) { LogEscaping.appendInner($0, to: &$1) } == "")
        #expect(Self.written([]) { LogEscaping.appendJSON($0, to: &$1) } == "\"\"")
    }

    @Test(
        "in JSON, text of ASCII stands as it is, and what is not is escaped",
        arguments: [0x1F, 0x20, 0x7E, 0x7F] as [UInt8]
    )
    func json(byte: UInt8) {
        let written = Self.written(Array("a".utf8) + [byte]) { LogEscaping.appendJSON($0, to: &$1) }
        if (0x20...0x7E).contains(byte) {
            #expect(written == "\"a\(UnicodeScalar(byte))\"")
        } else {
            #expect(written.hasPrefix("\"a\\u00") && written.lowercased().hasSuffix("\(String(byte, radix: 16))\""))
        }
        #expect(Self.written(Array("a\"\\".utf8)) { LogEscaping.appendJSON($0, to: &$1) } == #""a\"\\""#)
    }

    @Test("a value of the longest length is whole by either way, and a longer one is cut", arguments: [2048, 2049])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 0x61, count: count)
        let whole = String(repeating: "a", count: 2048)
        let isWhole = count == 2048
        let cut = whole + "…(\(count) bytes)"
        #expect(Self.written(bytes) { LogEscaping.append($0, to: &$1) } == (isWhole ? whole : "\"\(cut)\""))
        #expect(Self.written(bytes) { LogEscaping.appendInner($0, to: &$1) } == (isWhole ? whole : cut))
        #expect(Self.written(bytes) { LogEscaping.appendJSON($0, to: &$1) } == "\"\(whole)\"")
    }

    @Test("numbers are written with all their digits, and with zeros in front where a width is asked for")
    func numbers() {
        func digits(_ number: UInt64, _ least: Int = 1) -> String {
            var output: [UInt8] = []
            output.append(room: 32) { $0.append(number, digits: least) }
            return Self.text(output)
        }
        var number: UInt64 = 1
        for _ in 0..<20 {
            for near in [number - 1, number, number + 1] { #expect(digits(near) == String(near)) }
            number = number.multipliedReportingOverflow(by: 10).partialValue
        }
        #expect(digits(.max) == "18446744073709551615" && digits(.max - 1) == "18446744073709551614")
        #expect(
            digits(7, 3) == "007" && digits(70, 3) == "070" && digits(7000, 3) == "7000" && digits(0, 6) == "000000"
        )
        var plain: [UInt8] = []
        plain.append(room: 32) { $0.append(42) }
        #expect(Self.text(plain) == "42")
    }

    @Test("names of values in the journal are capitals, digits and underscores; each level has its priority")
    func journal() {
        #expect(Self.text(JournalEntry.name(of: "azAZ09-a.@[`{/:")) == "RESPITE_AZAZ09_A_______")
        for (level, priority) in [(.error, 3), (.warning, 4), (.info, 6), (.debug, 7)] as [(LogLevel, Int)] {
            let line = LogLine(milliseconds: 0, level: level, message: "m", values: ["n": 5, "is": true])
            let bytes = line.journalBytes(format: .text)
            let fields = bytes.split(separator: 0).map { Self.text(Array($0)) }
            #expect(
                fields == [
                    "PRIORITY=\(priority)", "SYSLOG_IDENTIFIER=respite", "RESPITE_N=5", "RESPITE_IS=true",
                    "MESSAGE=m n=5 is=true\n",
                ]
            )
        }
    }
}
