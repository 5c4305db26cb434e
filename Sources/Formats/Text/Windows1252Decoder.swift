import HTTPCore

/// Decodes windows-1252 as browsers do: every byte is a character.
package final class Windows1252Decoder: TextDecoder {
    package init() {}

    package func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte) {
        let end = output.count + max(1, room)
        while position < input.count, output.count < end {
            let start = position
            let limit = min(input.count, start + end - output.count)
            while position < limit, input[position] < 0x80 { position += 1 }
            output.append(copying: input.extracting(start..<position))
            guard position < limit else { continue }
            Self.append(input[position], to: &output)
            position += 1
        }
    }

    package func finish(into output: inout [UInt8]) throws(UndecodableByte) {}

    static func append(_ byte: UInt8, to output: inout [UInt8]) {
        UTF8Scalar.append((0x80..<0xA0).contains(byte) ? specials[Int(byte) - 0x80] : UInt32(byte), to: &output)
    }

    /// The code points of bytes 0x80 to 0x9F (index-windows-1252 of the Encoding Standard).
    ///
    /// A byte that is undefined there keeps its value.
    static let specials: [UInt32] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
