import Cassettes
import Formats
import HTTPCore
import JSON
import Observability
import Settings

/// What a HAR file has of one resource: an entry for each response that may be in it, and why others are not.
struct ResourceArchive: Sendable {
    /// The most bytes of content in the entries of one resource.
    static let limit: Int64 = 64 << 20

    private(set) var entries: [JSONValue] = []
    /// A clause for each response that is left out.
    private(set) var left: [String] = []
    /// The content that is still to be read, in this order.
    private var pending: ArraySlice<GatheredVariant>
    private var room = Self.limit
    private let url: String

    /// - Parameters:
    ///   - includesPrivate: whether responses for one credential are wanted, too.
    ///   - isHidden: whether a rule redacts a stored response that was stored before the rule.
    init(
        _ resource: GatheredResource,
        includesPrivate: Bool,
        masking secrets: SecretParameters,
        isHidden: (GatheredVariant) -> Bool
    ) {
        url = resource.uri.text
        pending = []
        if resource.uri.isQuestion {
            left = resource.variants.map { _ in "a question, whose content the store does not keep" }
            return
        }
        for variant in resource.variants {
            if let reason = Self.obstacle(variant, url, includesPrivate, secrets, isHidden(variant)) {
                left.append(reason)
            } else {
                pending.append(variant)
            }
        }
    }

    /// Why a response is left out; nil if it is not.
    private static func obstacle(
        _ variant: GatheredVariant,
        _ url: String,
        _ includesPrivate: Bool,
        _ secrets: SecretParameters,
        _ isHidden: Bool
    ) -> String? {
        func hasSecret(_ text: [UInt8]) -> Bool { secrets.redacted(text) != text }
        if !variant.isShared, !includesPrivate { return "private, for the clients of one credential" }
        if hasSecret(Array(url.utf8)) { return "its URL has a secret parameter" }
        if [KnownField.location, .contentLocation].flatMap({ variant.fields.values(of: $0) }).contains(where: hasSecret)
        {
            return "it refers to a URL with a secret parameter"
        }
        if variant.selecting.contains(where: { $0.telling == .hidden }) { return "a credential selects it" }
        if variant.isRedacted || isHidden { return "a rule redacts it" }
        if variant.extent != nil { return "only a part of it is stored" }
        return variant.isInvalidated ? "it is marked as invalid" : nil
    }

    // MARK: Content

    /// The next response whose content is to be read.
    mutating func next() -> GatheredVariant? {
        while let variant = pending.popFirst() {
            if variant.body.count <= room { return variant }
            left.append("its content is larger than \(Self.limit >> 20) MiB")
        }
        return nil
    }

    /// - Parameter content: nil: it could not be read.
    mutating func add(_ variant: GatheredVariant, _ content: [UInt8]?) {
        guard let content else { return left.append("its content cannot be read") }
        room -= Int64(content.count)
        entries.append(ArchivedEntry(entry(of: variant, content), isPrivate: !variant.isShared).json)
    }

    private func entry(of variant: GatheredVariant, _ content: [UInt8]) -> CassetteEntry {
        let requested = variant.metadata.responseTime.seconds - variant.delaySeconds
        let selecting = variant.selecting.compactMap { name, telling -> CassetteField? in
            guard case .value(let value) = telling else { return nil }
            return CassetteField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        let fields = variant.fields.lines.filter { !GatheredVariant.isSecret($0) }.map { line in
            CassetteField(
                String(decoding: variant.fields.name(of: line), as: UTF8.self),
                String(decoding: variant.fields.value(of: line), as: UTF8.self)
            )
        }
        return CassetteEntry(
            started: ArchiveTime.text(HTTPDate(seconds: requested)),
            waited: Double(variant.delaySeconds) * 1000,
            request: CassetteRequest(method: "GET", url: url, fields: selecting),
            response: CassetteResponse(status: variant.status, fields: fields, content: content)
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.memberArray("entries") { writer in for entry in entries { writer.value(entry) } }
        writer.memberArray("left") { writer in for reason in left { writer.text(reason) } }
    }
}
