import HTTPCore

/// Decodes what iconv knows.
package final class ConvertingDecoder: TextDecoder {
    private let converter: CharacterConverter
    /// Bytes the converter took before the present piece.
    private var taken = 0
    /// The beginning of a character that was cut.
    private var held: [UInt8] = []
    /// More than a character of any encoding has, with the escape sequence before it.
    private static let characterReach = 16

    package init(_ converter: CharacterConverter) { self.converter = converter }

    package func decode(
        _ input: Span<UInt8>,
        from position: inout Int,
        into output: inout [UInt8],
        room: Int
    ) throws(UndecodableByte) {
        let end = output.count + max(1, room)
        if !held.isEmpty {
            guard try completeHeld(input, &position, &output) else { return }
        }
        while position < input.count, output.count < end {
            let start = position
            let outcome = converter.convert(input, from: &position, into: &output, room: end - output.count)
            taken += position - start
            switch outcome {
            case .done, .needsRoom: continue
            case .incomplete:
                held = [UInt8](copying: input.extracting(position...))
                position = input.count
            case .invalid: throw UndecodableByte(position: taken)
            }
        }
    }

    package func finish(into output: inout [UInt8]) throws(UndecodableByte) {
        guard held.isEmpty else { throw UndecodableByte(position: taken) }
        converter.finish(into: &output)
    }

    /// Converts the character that was cut; false if it needs still more input.
    private func completeHeld(
        _ input: Span<UInt8>,
        _ position: inout Int,
        _ output: inout [UInt8]
    ) throws(UndecodableByte) -> Bool {
        let reach = min(input.count, position + Self.characterReach)
        let whole = held + [UInt8](copying: input.extracting(position..<reach))
        var converted = 0
        var outcome = CharacterConverter.Outcome.needsRoom
        while outcome == .needsRoom {
            outcome = converter.convert(whole.span, from: &converted, into: &output, room: 4 * whole.count)
        }
        if outcome == .invalid { throw UndecodableByte(position: taken + converted) }
        taken += converted
        if converted < held.count {
            // A character longer than any is none.
            guard whole.count - converted <= 2 * Self.characterReach else { throw UndecodableByte(position: taken) }
            held = Array(whole[converted...])
            position = reach
            return false
        }
        position += converted - held.count
        held = []
        return true
    }
}
