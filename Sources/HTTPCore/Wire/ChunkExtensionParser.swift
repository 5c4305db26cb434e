/// Checks the extensions of one chunk size line (RFC 9112 §7.1.1), bad whitespace included.
struct ChunkExtensionParser: Sendable {
    enum Step {
        case more
        /// A CR ended well-formed extensions.
        case end
        case failed(ParseError.Code)
    }

    private enum Phase {
        /// Blanks before the first `;`, which must follow.
        case beforeSemicolon
        case beforeName
        case name
        /// Blanks after a name: `=` or `;` must follow.
        case afterName
        case beforeValue
        case value
        case quoted
        case escaped
        case afterQuoted
    }

    private var phase = Phase.beforeSemicolon

    mutating func next(_ byte: UInt8) -> Step {
        switch byte {
        case 0x0A: return .failed(.bareLineFeed)
        case 0x0D: return end()
        default: break
        }
        guard let next = following(byte) else { return .failed(.badChunkExtension) }
        phase = next
        return .more
    }

    private func end() -> Step {
        switch phase {
        case .name, .value, .afterQuoted: .end
        case .beforeSemicolon, .beforeName, .afterName, .beforeValue, .quoted, .escaped: .failed(.badChunkExtension)
        }
    }

    private func following(_ byte: UInt8) -> Phase? {
        switch phase {
        case .beforeSemicolon: byte.isBlank ? .beforeSemicolon : byte == 0x3B ? .beforeName : nil
        case .beforeName: byte.isBlank ? .beforeName : ByteClass.token.contains(byte) ? .name : nil
        case .name: ByteClass.token.contains(byte) ? .name : afterName(byte)
        case .afterName: afterName(byte)
        case .beforeValue:
            byte.isBlank
                ? .beforeValue : byte == 0x22 ? .quoted : ByteClass.token.contains(byte) ? .value : nil
        case .value: ByteClass.token.contains(byte) ? .value : afterValue(byte)
        case .afterQuoted: afterValue(byte)
        case .quoted: byte == 0x22 ? .afterQuoted : byte == 0x5C ? .escaped : isText(byte) ? .quoted : nil
        case .escaped: isText(byte) ? .quoted : nil
        }
    }

    private func afterName(_ byte: UInt8) -> Phase? {
        byte == 0x3D ? .beforeValue : byte == 0x3B ? .beforeName : byte.isBlank ? .afterName : nil
    }

    private func afterValue(_ byte: UInt8) -> Phase? {
        byte == 0x3B ? .beforeName : byte.isBlank ? .beforeSemicolon : nil
    }

    private func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}
