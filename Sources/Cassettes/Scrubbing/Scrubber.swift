import Observability
import Transformers

/// Keeps secrets out of a cassette, and remembers them, so that they can be searched for.
///
/// Recording and replay both scrub requests, so requests that differ only in secrets match.
public struct Scrubber: Sendable {
    /// What stands in place of a secret.
    public static let replacement = "scrubbed"

    public let rules: ScrubbingRules
    /// The secrets that were seen.
    public private(set) var secrets = SecretIndex()
    private let fields: FieldScrubbing
    private let content: ContentScrubbing

    /// Throws if a path is wrong.
    public init(_ rules: ScrubbingRules) throws(CassetteError) {
        self.rules = rules
        let parameters = SecretParameters(rules.parameters)
        fields = FieldScrubbing(names: Set(rules.fields), parameters: parameters)
        do throws(JSONOptionError) {
            let selection = try JSONSelection(paths: rules.paths, names: rules.memberNames)
            content = ContentScrubbing(selection: selection, parameters: parameters)
        } catch {
            let path = error.pathIndex.map { rules.paths[$0] } ?? ""
            let column = error.column.map { ", column \($0)" } ?? ""
            throw CassetteError(place: "the path \(path)\(column)", error.userMessage)
        }
    }

    /// Notes a secret that no message may contain.
    public mutating func note(_ secret: [UInt8], name: String) { secrets.insert(secret, name: name) }

    /// Notes the credentials of a message's fields.
    public mutating func note(_ noted: [CassetteField]) {
        var scrubbed = noted
        fields.scrub(&scrubbed, &secrets)
    }

    /// Replaces and notes the values that the rules call secret: by field, parameter or path.
    public mutating func scrub(_ request: inout CassetteRequest) {
        fields.scrub(&request.fields, &secrets)
        request.url = fields.reference(request.url, &secrets)
        var none: [CassettePiece] = []
        let kind = ContentKind(request.fields, request.content)
        content.scrub(&request.content, kind, pieces: &none, &secrets)
    }

    /// Replaces and notes the values that the rules call secret: by field, parameter or path.
    public mutating func scrub(_ response: inout CassetteResponse) {
        fields.scrub(&response.fields, &secrets)
        fields.scrub(&response.trailers, &secrets)
        let kind = ContentKind(response.fields, response.content)
        content.scrub(&response.content, kind, pieces: &response.pieces, &secrets)
    }

    /// The cassette with scrubbed requests; its responses stay as they are.
    public mutating func scrubbed(_ cassette: Cassette) -> Cassette {
        var entries = cassette.entries
        for index in entries.indices { scrub(&entries[index].request) }
        for index in entries.indices { removeSecrets(from: &entries[index].request) }
        return Cassette(entries: entries, scrubbing: rules)
    }

    /// Replaces all secrets that were noted, wherever they stand.
    public func removeSecrets(from request: inout CassetteRequest) {
        guard !secrets.isEmpty else { return }
        request.url = secrets.scrubbed(request.url)
        remove(from: &request.fields)
        var none: [CassettePiece] = []
        ContentEdit.apply(secrets.edits(in: request.content), to: &request.content, &none)
    }

    /// Replaces all secrets that were noted, wherever they stand.
    public func removeSecrets(from response: inout CassetteResponse) {
        guard !secrets.isEmpty else { return }
        remove(from: &response.fields)
        remove(from: &response.trailers)
        ContentEdit.apply(secrets.edits(in: response.content), to: &response.content, &response.pieces)
    }

    private func remove(from fields: inout [CassetteField]) {
        for index in fields.indices { fields[index].value = secrets.scrubbed(fields[index].value) }
    }
}
