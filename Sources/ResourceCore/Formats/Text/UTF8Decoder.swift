import HTTPCore

/// Passes UTF-8 on, and nothing else (RFC 3629).
///
/// For text that names no encoding the first bytes beyond ASCII decide: if they are no UTF-8, all of it is windows-1252.
package final class UTF8Decoder: TextDecoder {
    /// Takes over when the content turns out to be something else.
    private var fallback: Windows1252Decoder?
    private var mayFallBack: Bool
    /// Bytes taken before the present piece.
    private var taken = 0
    /// The beginning of a character, as far as it came before the present piece.
    private var held: [UInt8] = []
    /// Bytes the present character still needs.
    private var needed = 0
    /// What the next byte of it may be.
    private var bounds: ClosedRange<UInt8> = 0x80...0xBF

    package init(mayFallBack: Bool) { self.mayFallBack = mayFallBack }

    package func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte) {
        if let fallback { return try fallback.decode(input, from: &position, into: &output, room: room) }
        let start = position
        let end = min(input.count, position + max(1, room))
        /// Where the present character begins; before `start` if some of it is held.
        var character = start - held.count
        while position < end {
            let byte = input[position]
            if needed == 0 {
                character = position
                if byte < 0x80 {
                    position += 1
                    continue
                }
                if !begin(byte) { break }
                position += 1
                continue
            }
            guard bounds.contains(byte) else { break }
            bounds = 0x80...0xBF
            needed -= 1
            position += 1
            if needed == 0 {
                mayFallBack = false
                character = position
            }
        }
        let isInvalid = position < end
        if needed == 0 && !isInvalid { character = position }
        // What is whole goes on; held bytes belong to the first character.
        if character >= start {
            output.append(contentsOf: held)
            held.removeAll(keepingCapacity: true)
            output.append(copying: input.extracting(start..<character))
        }
        guard !isInvalid else { return try leave(input, &position, start, character, &output, room) }
        held.append(copying: input.extracting(max(start, character)..<position))
        taken += position - start
    }

    package func finish(into output: inout [UInt8]) throws(UndecodableByte) {
        guard fallback == nil, !held.isEmpty else { return }
        guard mayFallBack else { throw UndecodableByte(position: taken - held.count) }
        for byte in held { Windows1252Decoder.append(byte, to: &output) }
    }

    /// What a first byte asks to follow; false if no character begins so.
    private func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (needed, bounds) = (1, 0x80...0xBF)
        case 0xE0: (needed, bounds) = (2, 0xA0...0xBF)
        case 0xED: (needed, bounds) = (2, 0x80...0x9F)
        case 0xE1...0xEF: (needed, bounds) = (2, 0x80...0xBF)
        case 0xF0: (needed, bounds) = (3, 0x90...0xBF)
        case 0xF4: (needed, bounds) = (3, 0x80...0x8F)
        case 0xF1...0xF3: (needed, bounds) = (3, 0x80...0xBF)
        default: return false
        }
        return true
    }

    /// The bytes from `character` on are no UTF-8.
    private func leave(
        _ input: Span<UInt8>,
        _ position: inout Int,
        _ start: Int,
        _ character: Int,
        _ output: inout [UInt8],
        _ room: Int
    ) throws(UndecodableByte) {
        guard mayFallBack else { throw UndecodableByte(position: taken + character - start) }
        for byte in held { Windows1252Decoder.append(byte, to: &output) }
        held = []
        let fallback = Windows1252Decoder()
        self.fallback = fallback
        position = max(start, character)
        try fallback.decode(input, from: &position, into: &output, room: room)
    }
}
