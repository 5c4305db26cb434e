/// Checks the extensions of one chunk size line (RFC 9112 §7.1.1), bad whitespace included.
struct ChunkExtensionParser: Sendable {
    enum Step {
        case more
        /// A CR ended well-formed extensions.
        case end
        case failed(ParseError.Code)
    }

    private enum Place {
        /// Blanks before the first `;`: behind them must come one.
        case beforeSemicolon
        case beforeName
        case name
        /// Blanks behind a name: `=` or `;` must follow.
        case afterName
        case beforeValue
        case value
        case quoted
        case escaped
        case afterQuoted
    }

    private var place = Place.beforeSemicolon

    mutating func next(_ octet: UInt8) -> Step {
        switch octet {
        case 0x0A: return .failed(.bareLineFeed)
        case 0x0D: return end()
        default: break
        }
        guard let next = following(octet) else { return .failed(.badChunkExtension) }
        place = next
        return .more
    }

    private func end() -> Step {
        switch place {
        case .name, .value, .afterQuoted: .end
        case .beforeSemicolon, .beforeName, .afterName, .beforeValue, .quoted, .escaped: .failed(.badChunkExtension)
        }
    }

    private func following(_ octet: UInt8) -> Place? {
        switch place {
        case .beforeSemicolon: octet.isBlank ? .beforeSemicolon : octet == 0x3B ? .beforeName : nil
        case .beforeName: octet.isBlank ? .beforeName : OctetClass.token.contains(octet) ? .name : nil
        case .name: OctetClass.token.contains(octet) ? .name : afterName(octet)
        case .afterName: afterName(octet)
        case .beforeValue:
            octet.isBlank
                ? .beforeValue : octet == 0x22 ? .quoted : OctetClass.token.contains(octet) ? .value : nil
        case .value: OctetClass.token.contains(octet) ? .value : afterValue(octet)
        case .afterQuoted: afterValue(octet)
        case .quoted: octet == 0x22 ? .afterQuoted : octet == 0x5C ? .escaped : isText(octet) ? .quoted : nil
        case .escaped: isText(octet) ? .quoted : nil
        }
    }

    private func afterName(_ octet: UInt8) -> Place? {
        octet == 0x3D ? .beforeValue : octet == 0x3B ? .beforeName : octet.isBlank ? .afterName : nil
    }

    private func afterValue(_ octet: UInt8) -> Place? {
        octet == 0x3B ? .beforeName : octet.isBlank ? .beforeSemicolon : nil
    }

    private func isText(_ octet: UInt8) -> Bool { octet == 0x09 || (octet >= 0x20 && octet != 0x7F) }
}
