import HTTPCore

/// Copies UTF-8 and rejects anything else (RFC 3629).
///
/// Text without a declared encoding may turn out to be windows-1252: its first bytes beyond ASCII decide.
package final class UTF8Decoder: TextDecoder {
    /// Decodes the rest of the content if it is windows-1252.
    private var fallback: Windows1252Decoder?
    private var mayFallBack: Bool
    /// Bytes read before the current piece.
    private var consumed = 0
    /// The first bytes of a character that the end of the last piece cut off.
    private var cut: [UInt8] = []
    /// The bytes that may follow in that character.
    private var pending: UTF8Sequence?

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
        /// The index at which the current character begins; less than `start` if it began in an earlier piece.
        var character = start - cut.count
        var pending = pending
        while position < end {
            let byte = input[position]
            if var sequence = pending {
                guard sequence.accept(byte) else { break }
                position += 1
                pending = sequence
                if sequence.isComplete {
                    pending = nil
                    mayFallBack = false
                    character = position
                }
            } else {
                character = position
                if byte >= 0x80 {
                    guard let sequence = UTF8Sequence(first: byte) else { break }
                    pending = sequence
                }
                position += 1
            }
        }
        self.pending = pending
        let isInvalid = position < end
        if pending == nil && !isInvalid { character = position }
        // Output all complete characters; the bytes that were cut off belong to the first.
        if character >= start {
            output.append(contentsOf: cut)
            cut.removeAll(keepingCapacity: true)
            output.append(copying: input.extracting(start..<character))
        }
        guard !isInvalid else { return try fallBack(input, &position, start, character, &output, room) }
        cut.append(copying: input.extracting(max(start, character)..<position))
        consumed += position - start
    }

    package func finish(into output: inout [UInt8]) throws(UndecodableByte) {
        guard fallback == nil, !cut.isEmpty else { return }
        guard mayFallBack else { throw UndecodableByte(position: consumed - cut.count) }
        for byte in cut { Windows1252Decoder.append(byte, to: &output) }
    }

    /// Continues as windows-1252 from `character` on, where the bytes stop being UTF-8; throws if that is not allowed.
    private func fallBack(
        _ input: Span<UInt8>,
        _ position: inout Int,
        _ start: Int,
        _ character: Int,
        _ output: inout [UInt8],
        _ room: Int
    ) throws(UndecodableByte) {
        guard mayFallBack else { throw UndecodableByte(position: consumed + character - start) }
        for byte in cut { Windows1252Decoder.append(byte, to: &output) }
        cut = []
        let fallback = Windows1252Decoder()
        self.fallback = fallback
        position = max(start, character)
        try fallback.decode(input, from: &position, into: &output, room: room)
    }
}
