import RecordFormat

/// Reads numbers and parts from the front of a value; throws if the value is cut.
struct RecordReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func number() throws(RecordFault) -> UInt64 {
        guard rest.count >= 8 else { throw .broken }
        defer { rest = rest.dropFirst(8) }
        return UInt64(bigEndian: rest.prefix(8))
    }

    /// A number that is no more than `limit`.
    mutating func count(_ limit: Int) throws(RecordFault) -> Int {
        guard let count = Int(exactly: try number()), count <= limit else { throw .broken }
        return count
    }

    /// A part: its length, then its bytes.
    mutating func part() throws(RecordFault) -> [UInt8] {
        let count = try count(rest.count)
        guard rest.count >= count else { throw .broken }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension [UInt8] {
    mutating func appendNumber(_ number: UInt64) { append(contentsOf: number.bigEndianBytes) }

    mutating func appendPart(_ part: [UInt8]) {
        appendNumber(UInt64(part.count))
        append(contentsOf: part)
    }
}
