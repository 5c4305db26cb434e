import EntityStorage
import Exchanges
import Formats
import HTTPCore
import ResourceCore
import ResourceModel

/// Encodes entities as rows of a table.
enum EntityCoding {
    /// The kind of content; files of earlier runs have these numbers.
    private enum Kind: Int64 { case bytes = 0, text = 1, json = 2 }

    /// A field that is not stored, since it carries credentials.
    private static let unstoredField = "set-cookie"

    // MARK: Writing

    /// The row of an entity; nil if it must not be stored, or its content cannot be encoded.
    static func row(_ entity: Entity<any Sendable>) -> EntityRow? {
        guard !forbidsStoring(entity), let (kind, content) = content(of: entity.content) else { return nil }
        var headers = entity.headers
        headers[unstoredField] = nil
        var head: [UInt8] = []
        append(entity.charset ?? "", to: &head)
        head.append(entity.charset == nil ? 0 : 1)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            append(name, to: &head)
            append(value, to: &head)
        }
        return EntityRow(
            time: nanoseconds(entity.timestamp),
            kind: kind.rawValue,
            head: head,
            content: content
        )
    }

    private static func forbidsStoring(_ entity: Entity<any Sendable>) -> Bool {
        let directives = entity.header(forKey: "cache-control") ?? ""
        return directives.split(separator: ",").contains { directive in
            directive.lowercased().trimmingBlanks == "no-store"
        }
    }

    private static func content(of content: any Sendable) -> (Kind, [UInt8])? {
        if let bytes = content as? [UInt8] { return (.bytes, bytes) }
        if let text = content as? String { return (.text, Array(text.utf8)) }
        guard content is [String: any Sendable] || content is [any Sendable] else { return nil }
        return JSONText.bytes(of: content).map { (.json, $0) }
    }

    /// Nanoseconds since 1970, clamped to the times that an `Int64` can express.
    static func nanoseconds(_ timestamp: Timestamp) -> Int64 {
        let (seconds, attoseconds) = timestamp.sinceEpoch.components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let count = UInt32(clamping: text.utf8.count)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift))) }
        bytes.append(contentsOf: text.utf8)
    }

    // MARK: Reading

    /// The entity of a row; nil if this program cannot read it.
    static func entity(_ row: EntityRow) -> Entity<any Sendable>? {
        guard let kind = Kind(rawValue: row.kind), let content = content(row.content, kind) else { return nil }
        var rest = row.head[...]
        guard let charset = text(&rest), let hasCharset = rest.popFirst() else { return nil }
        var headers: [String: String] = [:]
        while !rest.isEmpty {
            guard let name = text(&rest), let value = text(&rest) else { return nil }
            headers[name] = value
        }
        return Entity(
            content: content,
            charset: hasCharset == 1 ? charset : nil,
            headers: headers,
            timestamp: Timestamp(sinceEpoch: .nanoseconds(row.time))
        )
    }

    private static func content(_ bytes: [UInt8], _ kind: Kind) -> (any Sendable)? {
        switch kind {
        case .bytes: bytes
        case .text: String(validating: bytes, as: UTF8.self)
        case .json: JSONText.value(of: bytes)
        }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.count >= 4 else { return nil }
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return String(validating: rest.prefix(count), as: UTF8.self)
    }
}

extension String {
    /// The text without blanks at its ends.
    fileprivate var trimmingBlanks: Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return "" }
        return self[...last].drop(while: isBlank)
    }
}
