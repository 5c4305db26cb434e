import HTTPCore
import Transforms

/// Inserts the prefix before absolute URLs in attributes of HTML.
///
/// It knows only tags, attributes, comments and elements whose content is text (HTML §13.2.5). Everything else passes
/// through.
final class HTMLLinks: LinkScanner {
    private enum Phase: Equatable {
        case text
        /// After `<`.
        case tagOpen
        /// After `</`.
        case endTagOpen
        case tagName
        case beforeName
        case name
        case afterName
        case beforeValue
        /// In a value, up to the quote; nil means up to a blank.
        case value(quote: UInt8?)
        /// After `<!`, with the number of hyphens so far.
        case declaration(hyphens: Int)
        /// In a comment, with the number of hyphens just before.
        case comment(hyphens: Int)
        /// Up to `>`.
        case bogus
        /// In an element that contains only text, with the number of bytes of its end tag so far.
        case rawText(matched: Int)
    }

    private let prefix: LinkPrefix
    private var phase = Phase.text
    private var tag: [UInt8] = []
    private var isEndTag = false
    private var attribute: [UInt8] = []
    /// Changes the current value, if it is a link.
    private var value: AttributeLinks?
    /// `</` and the name that ends the current raw text.
    private var rawEnd: [UInt8] = []
    /// No relevant name is longer.
    private static let longestName = 16

    init(_ prefix: LinkPrefix) { self.prefix = prefix }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        value?.end(&output)
        value = nil
        return false
    }

    func runEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        switch phase {
        case .text, .rawText(matched: 0): input.firstIndex(of: 0x3C, from: start, to: end)
        case .bogus: input.firstIndex(of: 0x3E, from: start, to: end)
        case .comment(hyphens: 0): input.firstIndex(of: 0x2D, from: start, to: end)
        case .value(let quote?) where value == nil: input.firstIndex(of: quote, from: start, to: end)
        default: start
        }
    }

    func consume(_ byte: UInt8, _ output: inout [UInt8]) {
        if case .value(let quote) = phase, !Self.ends(byte, quote) {
            if value == nil { output.append(byte) } else { value?.consume(byte, &output) }
            if value?.isDone == true { value = nil }
            return
        }
        if phase == .beforeValue, !Self.isBlank(byte), byte != 0x3E, byte != 0x22, byte != 0x27 {
            // A value without quotes begins with this byte.
            phase = .value(quote: nil)
            beginValue()
            consume(byte, &output)
            return
        }
        value?.end(&output)
        value = nil
        output.append(byte)
        phase = next(byte)
    }

    /// Whether a byte ends a value that began with this quote, or without one.
    private static func ends(_ byte: UInt8, _ quote: UInt8?) -> Bool {
        if let quote { return byte == quote }
        return isBlank(byte) || byte == 0x3E
    }

    private func next(_ byte: UInt8) -> Phase {
        switch phase {
        case .text: return byte == 0x3C ? .tagOpen : .text
        case .tagOpen: return afterTagOpen(byte)
        case .endTagOpen:
            if Self.isLetter(byte) { return beginTag(byte, isEnd: true) }
            return byte == 0x3E ? .text : .bogus
        case .tagName:
            if byte == 0x3E || byte == 0x2F || Self.isBlank(byte) { return afterAttribute(byte) }
            Self.append(byte, to: &tag)
            return .tagName
        case .beforeName, .name, .afterName, .beforeValue, .value: return inTag(byte)
        case .declaration(let hyphens):
            if byte == 0x2D { return hyphens == 1 ? .comment(hyphens: 2) : .declaration(hyphens: 1) }
            return byte == 0x3E ? .text : .bogus
        case .comment(let hyphens): return inComment(byte, hyphens)
        case .bogus: return byte == 0x3E ? .text : .bogus
        case .rawText(let matched): return inRawText(byte, matched)
        }
    }

    private func afterTagOpen(_ byte: UInt8) -> Phase {
        switch byte {
        case 0x2F: .endTagOpen
        case 0x21: .declaration(hyphens: 0)
        case 0x3F: .bogus
        case 0x3C: .tagOpen
        default: Self.isLetter(byte) ? beginTag(byte, isEnd: false) : .text
        }
    }

    private func beginTag(_ byte: UInt8, isEnd: Bool) -> Phase {
        isEndTag = isEnd
        tag.removeAll(keepingCapacity: true)
        Self.append(byte, to: &tag)
        return .tagName
    }

    /// Inside a tag, after its name.
    private func inTag(_ byte: UInt8) -> Phase {
        switch phase {
        case .name:
            if byte == 0x3D { return .beforeValue }
            if byte == 0x3E || byte == 0x2F { return afterAttribute(byte) }
            if Self.isBlank(byte) { return .afterName }
            Self.append(byte, to: &attribute)
            return .name
        case .afterName:
            if byte == 0x3D { return .beforeValue }
            return Self.isBlank(byte) ? .afterName : beginName(byte)
        case .beforeValue:
            if Self.isBlank(byte) { return .beforeValue }
            if byte == 0x3E { return endTag() }
            beginValue()
            return .value(quote: byte)
        case .value(let quote): return quote == nil ? afterAttribute(byte) : .beforeName
        default: return beginName(byte)
        }
    }

    private func afterAttribute(_ byte: UInt8) -> Phase { byte == 0x3E ? endTag() : .beforeName }

    private func beginName(_ byte: UInt8) -> Phase {
        if byte == 0x3E || byte == 0x2F || Self.isBlank(byte) { return afterAttribute(byte) }
        attribute.removeAll(keepingCapacity: true)
        Self.append(byte, to: &attribute)
        return .name
    }

    private func beginValue() {
        let name = String(decoding: attribute, as: UTF8.self)
        guard !isEndTag, Self.lists.contains(name) || Self.links.contains(name) else { return }
        value = AttributeLinks(prefix, isList: Self.lists.contains(name))
    }

    private func endTag() -> Phase {
        guard !isEndTag, Self.rawTextElements.contains(String(decoding: tag, as: UTF8.self)) else { return .text }
        rawEnd = [0x3C, 0x2F] + tag
        return .rawText(matched: 0)
    }

    private func inComment(_ byte: UInt8, _ hyphens: Int) -> Phase {
        switch byte {
        case 0x2D: .comment(hyphens: min(2, hyphens + 1))
        case 0x3E where hyphens >= 2: .text
        // `--!>` ends a comment as well.
        case 0x21 where hyphens >= 2: .comment(hyphens: 2)
        default: .comment(hyphens: 0)
        }
    }

    private func inRawText(_ byte: UInt8, _ matched: Int) -> Phase {
        if matched == rawEnd.count {
            if byte == 0x3E { return .text }
            if Self.isBlank(byte) || byte == 0x2F {
                isEndTag = true
                return .beforeName
            }
        } else if byte.asciiLowercased == rawEnd[matched] {
            return .rawText(matched: matched + 1)
        }
        return .rawText(matched: byte == 0x3C ? 1 : 0)
    }

    private static func append(_ byte: UInt8, to name: inout [UInt8]) {
        if name.count < longestName { name.append(byte.asciiLowercased) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    private static func isBlank(_ byte: UInt8) -> Bool { AttributeLinks.isBlank(byte) }

    private static let links: Set = [
        "href", "src", "action", "formaction", "poster", "cite", "data", "background", "longdesc", "xlink:href",
    ]
    private static let lists: Set = ["srcset", "imagesrcset"]
    private static let rawTextElements: Set = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
    ]
}
