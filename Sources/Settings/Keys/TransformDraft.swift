import TOML

/// An entry of a rule's `transform` that is being read, with all possible members.
struct TransformDraft: Sendable {
    enum Decoding: String, CaseIterable { case all }
    enum Charset: String, CaseIterable { case utf8 = "utf-8" }
    enum JSON: String, CaseIterable { case validate, minify, pretty, select }
    enum Links: String, CaseIterable { case prefix }

    var decode: Decoding?
    var charset: Charset?
    var json: JSON?
    var path: String?
    var indent: Int?
    var redact: [String]?
    var substitute: String?
    var with: String?
    var ignoreCase: Bool?
    var regex: Bool?
    var fields: FieldChanges?
    var links: Links?
    var encode: [ContentCodingName]?
    var always: Bool?
    var stage: TransformStage?
    var contentTypes: [String] = []
    var statuses: [ClosedRange<UInt16>] = []

    init() {}

    init(_ setting: TransformSetting) {
        stage = setting.stage
        contentTypes = setting.contentTypes
        statuses = setting.statuses
        switch setting.kind {
        case .decode: decode = .all
        case .charset: charset = .utf8
        case .jsonValidate: json = .validate
        case .jsonMinify: json = .minify
        case .jsonPretty(let indent): (json, self.indent) = (.pretty, indent)
        case .jsonSelect(let path): (json, self.path) = (.select, path)
        case .redact(let paths, let with, let ignoresCase):
            (redact, self.with, ignoreCase) = (paths, with, ignoresCase ? true : nil)
        case .substitute(let text, let with, let ignoresCase, let isExpression):
            (substitute, self.with) = (text, with)
            (ignoreCase, regex) = (ignoresCase ? true : nil, isExpression ? true : nil)
        case .fields(let changes): fields = changes
        case .links: links = .prefix
        case .encode(let codings, let always): (encode, self.always) = (codings, always ? true : nil)
        }
    }

    /// The JSON string that replaces a redacted value.
    static let redacted = "[redacted]"

    /// Members that name the kind of transformer; each entry has one of them.
    static let kinds = ["decode", "charset", "json", "redact", "substitute", "fields", "links", "encode"]

    /// Members that only some kinds have.
    static let options: [String: [String]] = [
        "path": ["json"], "indent": ["json"], "with": ["redact", "substitute"],
        "ignore-case": ["redact", "substitute"],
        "regex": ["substitute"], "always": ["encode"],
    ]

    /// Makes the setting of this entry; `node` is its table, for the positions of faults.
    func setting(_ node: TOMLNode) throws(SettingFault) -> TransformSetting {
        guard case .table(let members) = node.value else { return TransformSetting(.decode) }
        let chosen = members.filter { Self.kinds.contains($0.key) }
        guard let first = chosen.first else {
            throw SettingFault(
                sentence: "`transform` has an entry that does nothing; it needs one of "
                    + Self.kinds.map { "`\($0)`" }.joined(separator: ", "),
                position: node.position
            )
        }
        if let second = chosen.dropFirst().first {
            throw SettingFault(
                sentence: "`\(first.key)` and `\(second.key)` are two transformers: write an entry for each",
                position: second.keyPosition
            )
        }
        for member in members {
            guard let owners = Self.options[member.key], !owners.contains(first.key) else { continue }
            let named = owners.map { "`\($0)`" }.joined(separator: " and ")
            throw SettingFault(
                sentence: "`\(member.key)` belongs to \(named), not to `\(first.key)`",
                position: member.keyPosition
            )
        }
        var setting = TransformSetting(try kind(first, members))
        setting.stage = stage
        setting.contentTypes = contentTypes
        setting.statuses = statuses
        return setting
    }

    private func kind(_ chosen: TOMLMember, _ members: [TOMLMember]) throws(SettingFault) -> TransformKind {
        if let json { return try kind(json, chosen, members) }
        if let redact {
            return .redact(paths: redact, with: with ?? Self.redacted, ignoresCase: ignoreCase ?? false)
        }
        if let substitute {
            guard let with else {
                throw SettingFault(
                    sentence: "`substitute` needs `with`, the text to put in its place",
                    position: chosen.keyPosition
                )
            }
            return .substitute(
                text: substitute,
                with: with,
                ignoresCase: ignoreCase ?? false,
                isExpression: regex ?? false
            )
        }
        if let fields { return .fields(fields) }
        if let encode {
            guard always != true || encode.count == 1 else {
                throw SettingFault(
                    sentence: "`always` codes in any case, so `encode` must name one coding",
                    position: chosen.keyPosition
                )
            }
            return .encode(encode, always: always ?? false)
        }
        if charset != nil { return .charset }
        return links != nil ? .links : .decode
    }

    private func kind(
        _ json: JSON,
        _ chosen: TOMLMember,
        _ members: [TOMLMember]
    ) throws(SettingFault) -> TransformKind {
        for (option, owner) in [("path", JSON.select), ("indent", .pretty)] where json != owner {
            guard let member = members.first(where: { $0.key == option }) else { continue }
            throw SettingFault(
                sentence: "`\(option)` belongs to json = \"\(owner.rawValue)\", not to \"\(json.rawValue)\"",
                position: member.keyPosition
            )
        }
        switch json {
        case .validate: return .jsonValidate
        case .minify: return .jsonMinify
        case .pretty: return .jsonPretty(indent: indent ?? 2)
        case .select:
            guard let path else {
                throw SettingFault(
                    sentence: "json = \"select\" needs `path`, such as \"$.items\"",
                    position: chosen.keyPosition
                )
            }
            return .jsonSelect(path: path)
        }
    }
}
