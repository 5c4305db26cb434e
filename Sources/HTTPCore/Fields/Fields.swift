/// A field section: the lines in the order received, all bytes in one array (RFC 9110 §5).
///
/// Names keep their spelling, values are trimmed of leading and trailing blanks. The bytes may also contain text that
/// belongs to no line, such as the start line.
public struct Fields: Sendable {
    /// The ranges of one field line in `bytes`; takes 16 bytes, since a stored response has many.
    public struct Line: Sendable {
        public var nameStart: UInt32
        public var valueStart: UInt32
        public var valueCount: UInt32
        public var nameCount: UInt16
        /// The field, if this package interprets it.
        public var known: KnownField?

        /// A name has at most this many bytes.
        public static let nameLimit = Int(UInt16.max)

        /// - Parameter name: shortened to `nameLimit`.
        @inlinable
        public init(known: KnownField?, name: Range<Int>, value: Range<Int>) {
            self.known = known
            nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
            nameCount = UInt16(clamping: name.count)
            valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
            valueCount = UInt32(truncatingIfNeeded: value.count)
        }

        @inlinable public var name: Range<Int> { Int(nameStart)..<(Int(nameStart) + Int(nameCount)) }
        @inlinable public var value: Range<Int> { Int(valueStart)..<(Int(valueStart) + Int(valueCount)) }
    }

    public internal(set) var bytes: [UInt8]
    public internal(set) var lines: [Line]
    /// The known fields among `lines`.
    public internal(set) var present: KnownFieldSet

    public init() {
        bytes = []
        lines = []
        present = []
    }

    init(bytes: [UInt8], lines: [Line], present: KnownFieldSet) {
        self.bytes = bytes
        self.lines = lines
        self.present = present
    }

    @inlinable public var isEmpty: Bool { lines.isEmpty }
    @inlinable public func contains(_ field: KnownField) -> Bool { present.contains(field) }

    /// How many lines carry `field`.
    public func count(of field: KnownField) -> Int { contains(field) ? lines.count { $0.known == field } : 0 }

    // MARK: Reading

    /// Lends the value of the first line of `field`, trimmed; nil if there is none.
    @inlinable
    public func withValue<R, E: Error>(
        of field: KnownField,
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R? {
        guard contains(field) else { return nil }
        // Loop by index, since an iterator would retain the lines.
        for index in lines.indices where lines[index].known == field {
            return try body(bytes.span.extracting(lines[index].value))
        }
        return nil
    }

    /// Lends the value of one line.
    @inlinable
    public func withValue<R, E: Error>(_ line: Line, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(bytes.span.extracting(line.value))
    }

    /// Lends the name of one line, spelt as received.
    @inlinable
    public func withName<R, E: Error>(_ line: Line, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(bytes.span.extracting(line.name))
    }

    /// The value of the first line of `field`.
    public func value(of field: KnownField) -> [UInt8]? { withValue(of: field) { [UInt8](copying: $0) } }

    /// The value of the first line of `field` as text, with replacement characters for bytes that are no UTF-8.
    public func text(of field: KnownField) -> String? { value(of: field).map { String(decoding: $0, as: UTF8.self) } }

    /// The values of all lines of `field`, in order.
    public func values(of field: KnownField) -> [[UInt8]] {
        guard contains(field) else { return [] }
        return lines.filter { $0.known == field }.map { Array(bytes[$0.value]) }
    }

    /// The values of all lines named `name` (any case), in order.
    public func values(named name: [UInt8]) -> [[UInt8]] {
        lines.filter { matches($0, name) }.map { Array(bytes[$0.value]) }
    }

    /// Whether a line is named `name` (any case).
    public func contains(named name: [UInt8]) -> Bool {
        // Loop by index, since an iterator would retain the lines.
        for index in lines.indices where matches(lines[index], name) { return true }
        return false
    }

    /// All lines of `field` joined with a comma and a blank; nil if there is none (RFC 9110 §5.3).
    public func combined(_ field: KnownField) -> [UInt8]? {
        guard contains(field) else { return nil }
        var result: [UInt8]?
        for line in lines where line.known == field {
            if result == nil {
                result = value(of: line)
            } else {
                result?.append(contentsOf: [0x2C, 0x20])
                result?.append(contentsOf: bytes[line.value])
            }
        }
        return result
    }

    public func name(of line: Line) -> [UInt8] { Array(bytes[line.name]) }
    public func value(of line: Line) -> [UInt8] { Array(bytes[line.value]) }

    func matches(_ line: Line, _ name: [UInt8]) -> Bool {
        guard Int(line.nameCount) == name.count else { return false }
        let start = Int(line.nameStart)
        for index in name.indices where bytes[start + index].asciiLowercased != name[index].asciiLowercased {
            return false
        }
        return true
    }

    // MARK: Changing

    /// Removes all lines, but keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        present = []
    }

    /// Makes room for lines that are about to be appended, so that shared storage is copied once.
    public mutating func makeRoom(lines count: Int, bytes: Int) {
        lines.reserveCapacity(lines.count + count)
        self.bytes.reserveCapacity(self.bytes.count + bytes)
    }

    /// Appends a line.
    ///
    /// The caller ensures the grammar of name and value.
    public mutating func append(name: [UInt8], value: [UInt8]) {
        append(KnownField(name: name), name: name, value: value)
    }

    public mutating func append(_ field: KnownField, _ value: [UInt8]) {
        let name = field.text
        let nameStart = bytes.count
        let valueStart = nameStart + name.utf8CodeUnitCount + 2
        // As on the wire, so that it is serialized in one piece, perhaps with its neighbours.
        bytes.append(addingCapacity: name.utf8CodeUnitCount + value.count + 4) { target in
            target.append(name)
            target.append(": ")
            target.append(copying: value.span, 0..<value.count)
            target.append("\r\n")
        }
        lines.append(Line(known: field, name: nameStart..<valueStart - 2, value: valueStart..<valueStart + value.count))
        present.insert(field)
    }

    public mutating func append(_ field: KnownField, _ value: String) { append(field, Array(value.utf8)) }

    public mutating func append(name: String, value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8))
    }

    private mutating func append(_ known: KnownField?, name: [UInt8], value: [UInt8]) {
        let nameStart = bytes.count
        let valueStart = nameStart + name.count + 2
        bytes.append(addingCapacity: name.count + value.count + 4) { target in
            target.append(copying: name.span, 0..<name.count)
            target.append(": ")
            target.append(copying: value.span, 0..<value.count)
            target.append("\r\n")
        }
        lines.append(Line(known: known, name: nameStart..<valueStart - 2, value: valueStart..<valueStart + value.count))
        if let known { present.insert(known) }
    }

    /// Finds the Content-Length `line` in `text`, which has one serialized line in `range`; nil if that is another
    /// line.
    func find(_ line: Line, in text: [UInt8], _ range: Range<Int>) -> Line? {
        let (nameCount, valueCount) = (Int(line.nameCount), Int(line.valueCount))
        guard line.known == .contentLength, range.count == nameCount + 2 + valueCount + 2 else { return nil }
        let name = range.lowerBound..<range.lowerBound + nameCount
        let value = name.upperBound + 2..<name.upperBound + 2 + valueCount
        guard ByteScan.equals(bytes.span.extracting(line.name), text.span.extracting(name)),
            ByteScan.equals(bytes.span.extracting(line.value), text.span.extracting(value))
        else { return nil }
        return Line(known: line.known, name: name, value: value)
    }

    /// Appends name and value of `line` to `text`; returns their ranges there.
    func appendText(of line: Line, to text: inout [UInt8]) -> Line {
        let nameStart = text.count
        ByteScan.append(bytes.span, line.name, to: &text)
        let valueStart = text.count
        ByteScan.append(bytes.span, line.value, to: &text)
        return Line(known: line.known, name: nameStart..<valueStart, value: valueStart..<text.count)
    }

    /// Removes all lines of `field`.
    public mutating func remove(_ field: KnownField) {
        guard contains(field) else { return }
        removeLines { $0.known == field }
    }

    /// Removes all lines named `name` (any case).
    public mutating func remove(named name: [UInt8]) {
        let copy = self
        removeLines { copy.matches($0, name) }
    }

    /// Removes the lines for which `condition` is true; their bytes stay until the section is copied.
    public mutating func removeLines(where condition: (Line) -> Bool) {
        lines.removeAll(where: condition)
        present = []
        for line in lines { if let known = line.known { present.insert(known) } }
    }

    /// A copy without the lines for which `condition` is true, with room for others.
    ///
    /// Changing an ordinary copy would copy shared storage in each step.
    public func copy(addingLines count: Int, bytes room: Int, without condition: (Line) -> Bool) -> Fields {
        var copy = Fields()
        copy.bytes.reserveCapacity(bytes.count + room)
        copy.bytes.append(copying: bytes.span)
        copy.lines.reserveCapacity(lines.count + count)
        for line in lines where !condition(line) {
            copy.lines.append(line)
            if let known = line.known { copy.present.insert(known) }
        }
        return copy
    }

    /// Replaces all lines of `field` with one.
    public mutating func set(_ field: KnownField, _ value: [UInt8]) {
        remove(field)
        append(field, value)
    }

    public mutating func set(_ field: KnownField, _ value: String) { set(field, Array(value.utf8)) }
}

extension Fields: Equatable {
    /// Whether both have the same lines in the same order; case matters in values, not in names.
    public static func == (left: Fields, right: Fields) -> Bool {
        left.lines.count == right.lines.count
            && zip(left.lines, right.lines).allSatisfy { one, other in
                left.matches(one, right.name(of: other)) && left.bytes[one.value] == right.bytes[other.value]
            }
    }
}

extension KnownField {
    /// The customary spelling as bytes.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        ByteScan.append(text, to: &result)
        return result
    }

    /// The field of this name in any case.
    public init?(name: [UInt8]) { self.init(name: name.span) }

    /// The field of this name in any case; allocates nothing.
    public init?(name: Span<UInt8>) {
        // The table accepts tokens only.
        guard Token.isToken(name), let field = KnownFieldTable.shared.field(name, 0..<name.count) else { return nil }
        self = field
    }
}

extension UInt8 {
    /// This byte with `A`…`Z` turned into `a`…`z`.
    @inlinable public var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
