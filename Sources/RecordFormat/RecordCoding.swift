package import HTTPCore

/// Encodes parts of a stored response, for columns of the store and values on a shared server (record format 1).
package enum RecordCoding {
    package static let format: Int64 = 1

    /// Encodes field lines: for each line two bytes for the length of the name, four for that of the value, then both.
    ///
    /// Spelling, order and repeated lines stay as they are.
    package static func encode(_ fields: Fields) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.bytes.count + fields.lines.count * 6)
        for line in fields.lines {
            let name = line.name
            let value = line.value
            bytes.append(UInt8(truncatingIfNeeded: name.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: name.count))
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value.count >> shift)) }
            bytes.append(contentsOf: fields.bytes[name])
            bytes.append(contentsOf: fields.bytes[value])
        }
        return bytes
    }

    /// Nil if the bytes are not encoded field lines.
    package static func decode(_ bytes: [UInt8]) -> Fields? {
        var fields = Fields()
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 6 else { return nil }
            let nameCount = Int(UInt64(bigEndian: rest.prefix(2)))
            let valueCount = Int(UInt64(bigEndian: rest.dropFirst(2).prefix(4)))
            rest = rest.dropFirst(6)
            guard rest.count >= nameCount + valueCount else { return nil }
            fields.append(
                name: Array(rest.prefix(nameCount)),
                value: Array(rest.dropFirst(nameCount).prefix(valueCount))
            )
            rest = rest.dropFirst(nameCount + valueCount)
        }
        return fields
    }

    package static func encode(_ sums: [UInt64]) -> [UInt8] { sums.flatMap(\.bigEndianBytes) }

    package static func decodeSums(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count, by: 8).map { UInt64(bigEndian: bytes[$0..<min($0 + 8, bytes.count)]) }
    }
}

extension UInt64 {
    package var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }

    package init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
