import HTTPCore
import TOML

extension RedirectSettings {
    static let keys: [TableKey<RedirectSettings>] = [
        TableKey(
            "to",
            \.target,
            .redirectTarget,
            "Absolute URL; $path stands for path and query of the request."
        ),
        TableKey("status", \.status, .redirectStatus, default: 307, "301, 302, 307 or 308."),
    ]

    static let reader = TableReader(name: "redirect", keys: keys)
}

/// `fail` that is being read.
struct FailDraft: Sendable {
    enum Word: String, CaseIterable { case reset, timeout }

    var status: Int?
    var how: Word?
    var share = 1.0

    init() {}

    init(_ settings: FailSettings) {
        share = settings.share
        switch settings.kind {
        case .status(let number): status = number
        case .reset: how = .reset
        case .timeout: how = .timeout
        }
    }

    static let keys: [TableKey<FailDraft>] = [
        TableKey(optional: "status", \.status, .count(400...599), "Status of the error response."),
        TableKey(optional: "how", \.how, .choice, "The connection is reset, or no response comes (timeout)."),
        TableKey("share", \.share, .fraction, default: 1.0, "Share of requests that fail, at random."),
    ]

    static let reader = TableReader(name: "fail", keys: keys)

    /// - Parameter node: its table, for the positions of faults.
    func settings(_ node: TOMLNode) throws(SettingFault) -> FailSettings {
        var settings: FailSettings
        switch (status, how) {
        case (let status?, nil): settings = FailSettings(.status(status))
        case (nil, .reset?): settings = FailSettings(.reset)
        case (nil, .timeout?): settings = FailSettings(.timeout)
        case (nil, nil):
            throw SettingFault.lacking("needs `status`, such as 503, or `how`: reset or timeout", at: node.position)
        default: throw SettingFault(message: "has `status` and `how`: leave one of them out", position: node.position)
        }
        settings.share = share
        return settings
    }
}

extension SettingType where Value == RedirectRule {
    static var redirect: SettingType {
        SettingType(
            name: "URL or table, or false",
            isText: true,
            parse: { (node) throws(SettingFault) -> RedirectRule in
                var settings = RedirectSettings()
                switch node.value {
                case .boolean(false): return .never
                case .text: settings.target = try SettingType<String>.redirectTarget.parse(node)
                case .table:
                    try RedirectSettings.reader.read(node, into: &settings)
                    if settings.target.isEmpty {
                        throw SettingFault.lacking("needs `to`, the URL where clients are sent", at: node.position)
                    }
                default:
                    throw SettingFault(
                        "a URL, a table such as { to = \"https://new.example$path\", status = 308 }, or false",
                        insteadOf: node
                    )
                }
                return .to(settings)
            },
            format: { rule in
                guard case .to(let settings) = rule else { return "false" }
                return settings.status == 307
                    ? TOMLText.quoted(settings.target) : RedirectSettings.reader.format(settings)
            }
        )
    }
}

extension SettingType where Value == FailRule {
    static var fail: SettingType {
        SettingType(
            name: "table, reset, timeout, or false",
            isText: true,
            parse: { (node) throws(SettingFault) -> FailRule in
                switch node.value {
                case .boolean(false): return .never
                case .text("reset"): return .with(FailSettings(.reset))
                case .text("timeout"): return .with(FailSettings(.timeout))
                case .table:
                    var draft = FailDraft()
                    try FailDraft.reader.read(node, into: &draft)
                    return .with(try draft.settings(node))
                default:
                    throw SettingFault(
                        "\"reset\", \"timeout\", a table such as { status = 503, share = 0.1 }, or false",
                        insteadOf: node
                    )
                }
            },
            format: { rule in
                guard case .with(let settings) = rule else { return "false" }
                switch settings.kind {
                case .reset where settings.share == 1: return "\"reset\""
                case .timeout where settings.share == 1: return "\"timeout\""
                default: return FailDraft.reader.format(FailDraft(settings))
                }
            }
        )
    }
}

extension SettingType where Value == String {
    /// An absolute URL, in which `$path` may stand behind the host or later.
    static var redirectTarget: SettingType {
        text(
            "URL",
            expected: "an absolute http or https URL such as \"https://new.example/\" or \"https://new.example$path\"",
            read: { text in
                guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
                let isURL = (try? TargetURI(parsing: text.replacing("$path", with: "/path"))) != nil
                // A `$path` before the path would change the host.
                let host = text.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "$" }
                return isURL && !host.isEmpty ? text : nil
            }
        )
    }
}

extension SettingType where Value == Int {
    static var redirectStatus: SettingType {
        let statuses = [301, 302, 307, 308]
        return SettingType(
            name: "301 | 302 | 307 | 308",
            isText: false,
            parse: { (node) throws(SettingFault) -> Int in
                guard case .integer(let wide) = node.value, let status = Int(exactly: wide), statuses.contains(status)
                else { throw SettingFault("301, 302, 307 or 308", insteadOf: node) }
                return status
            },
            format: { "\($0)" }
        )
    }
}
