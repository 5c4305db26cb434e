import Formats
import HTTPCore
import Transforms

/// Converts one content to UTF-8, once its beginning has shown the encoding.
final class Transcoding: ContentFilter {
    /// The kind of declaration that the content may have.
    enum Declaration { case none, xml, html }

    /// The encoding that the head declares; nil if it declares none.
    private let named: CharacterEncoding?
    private let declaration: Declaration
    /// Whether text that declares no encoding and is not UTF-8 is windows-1252.
    private let mayBeLegacy: Bool
    /// The first bytes until they suffice to choose, then the bytes not decoded yet.
    private var beginning: [UInt8] = []
    private var decoder: (any TextDecoder)?
    /// The length of the byte order mark, which is removed.
    private var skipped = 0

    init(named: CharacterEncoding?, declaration: Declaration, mayBeLegacy: Bool) {
        self.named = named
        self.declaration = declaration
        self.mayBeLegacy = mayBeLegacy
    }

    var needsWholeContent: Bool { false }

    func transform(
        _ input: Span<UInt8>,
        into output: inout [UInt8],
        room: Int
    ) throws(TransformFailure) -> TransformProgress {
        var position = 0
        let end = output.count + max(1, room)
        if decoder == nil {
            position = min(input.count, max(0, reach - beginning.count))
            beginning.append(copying: input.extracting(..<position))
            guard beginning.count >= reach else { return TransformProgress(consumed: position) }
            try choose()
        }
        guard try decodeBeginning(into: &output, until: end) else {
            return TransformProgress(consumed: position, hasMore: true)
        }
        guard let decoder else { return TransformProgress(consumed: position) }
        do throws(UndecodableByte) {
            // A part of a character has no output yet.
            while position < input.count, output.count < end {
                try decoder.decode(input, from: &position, into: &output, room: end - output.count)
            }
        } catch {
            throw undecodable(error)
        }
        return TransformProgress(consumed: position)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        if decoder == nil { try choose() }
        guard try decodeBeginning(into: &output, until: output.count + max(1, room)), let decoder else { return true }
        do throws(UndecodableByte) { try decoder.finish(into: &output) } catch { throw undecodable(error) }
        return false
    }

    /// The number of bytes needed to choose the encoding.
    private var reach: Int { named == nil && declaration != .none ? EncodingDeclaration.reach : 3 }

    /// Chooses the encoding.
    ///
    /// A byte order mark wins, as in browsers and for XML (RFC 7303 §3), then the head, then a declaration in the
    /// content.
    private func choose() throws(TransformFailure) {
        if let mark = EncodingDeclaration.byteOrderMark(beginning) {
            skipped = mark.count
            beginning.removeFirst(mark.count)
            decoder = try Self.decoder(mark.encoding)
            return
        }
        let label: [UInt8]? =
            switch named == nil ? declaration : .none {
            case .none: nil
            case .xml: EncodingDeclaration.xml(beginning)
            case .html: EncodingDeclaration.html(beginning)
            }
        var declared: CharacterEncoding?
        if let label {
            guard let encoding = CharacterEncoding(label: label) else { throw Self.unknown(label) }
            // A declaration that can be read as ASCII is not in UTF-16.
            declared = encoding.isUTF16 ? .utf8 : encoding
        }
        if let encoding = named ?? declared {
            decoder = try Self.decoder(encoding)
        } else {
            decoder = UTF8Decoder(mayFallBack: mayBeLegacy)
        }
    }

    private static func decoder(_ encoding: CharacterEncoding) throws(TransformFailure) -> any TextDecoder {
        switch encoding {
        case .utf8: return UTF8Decoder(mayFallBack: false)
        case .windows1252: return Windows1252Decoder()
        case .converted(let name):
            guard let converter = CharacterConverter(name) else {
                throw TransformFailure(.unsupported, "the system cannot convert the charset `\(name)`")
            }
            return ConvertingDecoder(converter)
        }
    }

    /// The failure for an unknown charset.
    static func unknown(_ label: [UInt8]) -> TransformFailure {
        TransformFailure(.unsupported, "the charset \(Quoted(label)) is unknown")
    }

    /// Decodes the bytes kept for the choice; returns false if there was too little room.
    private func decodeBeginning(into output: inout [UInt8], until end: Int) throws(TransformFailure) -> Bool {
        guard !beginning.isEmpty, let decoder else { return true }
        let bytes = beginning
        var position = 0
        do throws(UndecodableByte) {
            while position < bytes.count, output.count < end {
                try decoder.decode(bytes.span, from: &position, into: &output, room: end - output.count)
            }
        } catch {
            throw undecodable(error)
        }
        beginning.removeFirst(position)
        return beginning.isEmpty
    }

    private func undecodable(_ error: UndecodableByte) -> TransformFailure {
        TransformFailure(
            .invalidContent,
            "the text is not in its charset: byte \(skipped + error.position) (from 0) is not a character"
        )
    }
}
