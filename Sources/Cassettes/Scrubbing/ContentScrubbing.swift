import Formats
import Observability
import Transformers

/// Removes secrets from content: by paths and names in JSON, by names in forms.
struct ContentScrubbing: Sendable {
    let selection: JSONSelection
    let parameters: SecretParameters

    /// Replaces the secrets in content, and adapts the pieces in which a stream came.
    func scrub(
        _ content: inout [UInt8],
        _ kind: ContentKind,
        pieces: inout [CassettePiece],
        _ secrets: inout SecretIndex
    ) {
        switch kind {
        case .none, .multipart, .other: break
        case .form: content = form(content, &secrets)
        case .json:
            ContentEdit.apply(changes(of: content, content.indices, &secrets), to: &content, &pieces)
        case .jsonLines, .eventStream:
            let edits = Self.texts(in: content, kind).flatMap { changes(of: content, $0, &secrets) }
            ContentEdit.apply(edits, to: &content, &pieces)
        }
    }

    private func form(_ content: [UInt8], _ secrets: inout SecretIndex) -> [UInt8] {
        var mask = SecretParameters.Mask(keepingValues: Scrubber.replacement)
        let redacted = parameters.redacted(form: content, by: &mask)
        secrets.insert(mask)
        return redacted
    }

    /// The changes that remove the secrets of the JSON text at a range.
    private func changes(of content: [UInt8], _ range: Range<Int>, _ secrets: inout SecretIndex) -> [ContentEdit] {
        let text = Array(content[range])
        return (selection.ranges(in: text) ?? []).map { found in
            insert(Array(text[found]), &secrets)
            let place = range.lowerBound + found.lowerBound..<range.lowerBound + found.upperBound
            return ContentEdit(range: place, replacement: Array("\"\(Scrubber.replacement)\"".utf8))
        }
    }

    /// Notes a secret value; for an array or object, the texts and numbers in it.
    private func insert(_ json: [UInt8], _ secrets: inout SecretIndex) {
        guard let value = JSONText.value(of: json) else { return }
        insert(value, &secrets)
    }

    private func insert(_ value: any Sendable, _ secrets: inout SecretIndex) {
        switch value {
        case let text as String: secrets.insert(Array(text.utf8), name: "a secret value of JSON")
        case let number as Int: secrets.insert(Array("\(number)".utf8), name: "a secret value of JSON")
        case let members as [String: any Sendable]: for member in members.values { insert(member, &secrets) }
        case let elements as [any Sendable]: for element in elements { insert(element, &secrets) }
        default: break
        }
    }

    /// The ranges of lines that may be JSON, without their line ends; in an event stream, those of the data.
    private static func texts(in content: [UInt8], _ kind: ContentKind) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        while start < content.count {
            let end = content[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? content.count
            if kind == .jsonLines {
                ranges.append(start..<end)
            } else if content[start..<end].starts(with: "data:".utf8) {
                ranges.append((start + 5)..<end)
            }
            start = end + 1
        }
        return ranges.filter { !$0.isEmpty }
    }
}
