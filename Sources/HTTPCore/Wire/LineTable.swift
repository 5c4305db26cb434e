/// A table of the lines of a field section, of about six bytes for each line.
///
/// It is for sections that are kept for long and seldom read line by line. Numbers have seven bits in each byte, the
/// lowest first. The highest bit of a byte means that another byte follows.
enum LineTable {
    /// Appends the table of `lines`; values must follow their names.
    static func append(_ lines: [Fields.Line], to text: inout [UInt8]) {
        append(lines.count, to: &text)
        for line in lines {
            let (name, value) = (line.name, line.value)
            text.append(line.known.map { $0.rawValue + 1 } ?? 0)
            append(name.lowerBound, to: &text)
            append(name.count, to: &text)
            append(value.lowerBound - name.upperBound, to: &text)
            append(value.count, to: &text)
        }
    }

    /// The section with the table at `start` of its text; without lines if there is no table.
    static func section(in text: [UInt8], at start: Int) -> Fields {
        var section = Fields(bytes: text, lines: [], present: [])
        guard start < text.count else { return section }
        let bytes = text.span
        var position = start
        let count = number(bytes, &position)
        section.lines.reserveCapacity(count)
        for _ in 0..<count {
            let code = bytes[position]
            let known = code == 0 ? nil : KnownField(rawValue: code - 1)
            position += 1
            let nameStart = number(bytes, &position)
            let nameEnd = nameStart + number(bytes, &position)
            let valueStart = nameEnd + number(bytes, &position)
            let valueEnd = valueStart + number(bytes, &position)
            section.lines.append(Fields.Line(known: known, name: nameStart..<nameEnd, value: valueStart..<valueEnd))
            if let known { section.present.insert(known) }
        }
        return section
    }

    private static func append(_ number: Int, to text: inout [UInt8]) {
        var rest = UInt(bitPattern: number)
        while rest > 0x7F {
            text.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        text.append(UInt8(rest))
    }

    private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int {
        var number = 0
        var shift = 0
        while true {
            let byte = bytes[position]
            position += 1
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }
}
