import Cassettes
import CommandTexts
import Formats
import HTTPCore
import JSON
import Settings
import Terminal
import TransportSecurity

/// The content of a resource at one moment, as far as it can be shown.
enum WatchedContent: Equatable {
    case json(JSONValue, size: Int64)
    case text(String, size: Int64)
    /// Bytes that are no text, or have a coding.
    case binary(size: Int64, digest: String)
    /// Too large to be compared, or not to be had.
    case unread(size: Int64)

    /// Larger content is not read.
    static let limit = 1 << 20
    /// The most lines of a difference that are shown.
    private static let mostLines = 100
    /// The most characters of a JSON value that are shown.
    private static let mostCharacters = 60

    /// - Parameter isCoded: whether the bytes have a content coding such as gzip.
    init(_ bytes: [UInt8], isCoded: Bool) {
        let size = Int64(bytes.count)
        if isCoded {
            self = .binary(size: size, digest: ContentDigest.sha256(bytes))
        } else if let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSONReader.parse(bytes, sizeLimit: Self.limit)
        {
            self = .json(json, size: size)
        } else if let text = Self.text(bytes) {
            self = .text(text, size: size)
        } else {
            self = .binary(size: size, digest: ContentDigest.sha256(bytes))
        }
    }

    /// The bytes as text; nil if they are none.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D].contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    var size: Int64 {
        switch self {
        case .json(_, let size), .text(_, let size), .binary(let size, _), .unread(let size): size
        }
    }

    // MARK: Differences

    /// Lines for people; empty if nothing differs.
    func difference(from old: WatchedContent) -> [String] {
        guard self != old else { return [] }
        let lines: [String]
        switch (old, self) {
        case (.json(let before, _), .json(let after, _)):
            lines = JSONDifference.changes(from: before, to: after).map { $0.text(limit: Self.mostCharacters) }
        case (.text(let before, _), .text(let after, _)):
            lines = TextDifference.lines(from: before, to: after)
        default: return ["\(old.description) -> \(description)"]
        }
        guard lines.count > Self.mostLines else { return lines }
        return lines.prefix(Self.mostLines) + ["… and \(Plural.text(lines.count - Self.mostLines, "more line"))"]
    }

    /// `2.0 KiB`, for binary content with the beginning of its hash.
    private var description: String {
        let text = Table.Cell.readable(bytes: size)
        guard case .binary(_, let digest) = self else { return text }
        return "\(text) (sha256 \(digest.prefix(12))…)"
    }

    /// Writes the members `changes`, `diff` or `old` and `new`; nothing if nothing differs.
    func writeDifference(from old: WatchedContent, to writer: inout JSONWriter) {
        guard self != old else { return }
        switch (old, self) {
        case (.json(let before, _), .json(let after, _)):
            writer.memberArray("changes") { writer in
                for change in JSONDifference.changes(from: before, to: after).prefix(Self.mostLines) {
                    writer.object { change.write(to: &$0) }
                }
            }
        case (.text(let before, _), .text(let after, _)):
            let lines = TextDifference.lines(from: before, to: after).prefix(Self.mostLines)
            writer.memberArray("diff") { writer in for line in lines { writer.text(line) } }
        default:
            writer.memberObject("old") { old.write(to: &$0) }
            writer.memberObject("new") { write(to: &$0) }
        }
    }

    private func write(to writer: inout JSONWriter) {
        writer.member("size", size)
        if case .binary(_, let digest) = self { writer.member("sha256", digest) }
    }
}

extension JSONDifference.Change {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("path", path)
        if let old {
            writer.name("old")
            writer.value(old)
        }
        if let new {
            writer.name("new")
            writer.value(new)
        }
    }
}
