import HTTPCore

/// Decodes any encoding that iconv knows.
package final class ConvertingDecoder: TextDecoder {
    private let converter: CharacterConverter
    /// Bytes converted before the current piece.
    private var consumed = 0
    /// The first bytes of a character that the end of a piece cut off.
    private var cut: [UInt8] = []
    /// Longer than a character of any encoding together with the escape sequence before it.
    private static let characterReach = 16

    package init(_ converter: CharacterConverter) { self.converter = converter }

    package func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte) {
        let end = output.count + max(1, room)
        if !cut.isEmpty {
            guard try completeCut(input, &position, &output) else { return }
        }
        while position < input.count, output.count < end {
            let start = position
            let outcome = converter.convert(input, from: &position, into: &output, room: end - output.count)
            consumed += position - start
            switch outcome {
            case .done, .needsRoom: continue
            case .incomplete:
                cut = [UInt8](copying: input.extracting(position...))
                position = input.count
            case .invalid: throw UndecodableByte(position: consumed)
            }
        }
    }

    package func finish(into output: inout [UInt8]) throws(UndecodableByte) {
        guard cut.isEmpty else { throw UndecodableByte(position: consumed) }
        converter.finish(into: &output)
    }

    /// Converts the character that was cut off; returns false if it needs still more input.
    private func completeCut(
        _ input: Span<UInt8>,
        _ position: inout Int,
        _ output: inout [UInt8]
    ) throws(UndecodableByte) -> Bool {
        let reach = min(input.count, position + Self.characterReach)
        let whole = cut + [UInt8](copying: input.extracting(position..<reach))
        var converted = 0
        var outcome = CharacterConverter.Outcome.needsRoom
        while outcome == .needsRoom {
            outcome = converter.convert(whole.span, from: &converted, into: &output, room: 4 * whole.count)
        }
        if outcome == .invalid { throw UndecodableByte(position: consumed + converted) }
        consumed += converted
        if converted < cut.count {
            // No character is that long.
            guard whole.count - converted <= 2 * Self.characterReach else { throw UndecodableByte(position: consumed) }
            cut = Array(whole[converted...])
            position = reach
            return false
        }
        position += converted - cut.count
        cut = []
        return true
    }
}
