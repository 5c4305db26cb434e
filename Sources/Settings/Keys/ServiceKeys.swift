import HTTPCore
import TOML

/// A service that is being read, from the file first, then from options.
struct ServiceDraft: Sendable {
    var base: TargetURI?
    var headers: [ServiceField] = []
    var allowOrigins: [String] = []
    var inject = InjectionScope.service
    var token: TokenSettings?
    var verify = CertificateVerification.on
    var clientCertificate: ClientCertificateSettings?
    var proxy: ServiceProxy?
    var retry: RetryRule?
    var rateLimit: RateLimitRule?
    var mode: OperatingMode?
    var rules: [RuleSettings] = []

    init() {}

    init(_ service: ServiceSettings) {
        base = service.base
        headers = service.headers
        allowOrigins = service.allowOrigins
        inject = service.inject
        token = service.token
        verify = service.verify
        clientCertificate = service.clientCertificate
        proxy = service.proxy
        retry = service.retry
        rateLimit = service.rateLimit
        mode = service.mode
        rules = service.rules
    }

    func settings(name: String) -> ServiceSettings? {
        base.map {
            ServiceSettings(
                name: name,
                base: $0,
                headers: headers,
                allowOrigins: allowOrigins,
                inject: inject,
                token: token,
                verify: verify,
                clientCertificate: clientCertificate,
                proxy: proxy,
                retry: retry,
                rateLimit: rateLimit,
                mode: mode,
                rules: rules
            )
        }
    }

    /// The settings without secrets.
    static let publicNames: Set<String> = [
        "base", "allow-origins", "inject", "mode", "rate-limit", "retry", "rule", "verify",
    ]

    static let reader = TableReader(name: "service", keys: keys)

    static func reader(for name: String) -> TableReader<ServiceDraft> {
        TableReader(name: "service.\(TOMLText.key(name))", keys: keys)
    }

    static let keys: [TableKey<ServiceDraft>] = [
        TableKey(
            optional: "base",
            \.base,
            .serviceBase,
            "URL of the service. URLs at it and below it belong to the service with the longest such base."
        ),
        TableKey(
            name: "headers",
            typeName: SettingType<[ServiceField]>.serviceFields.name,
            summary:
                "Fields that its requests get: text, or { file = \"PATH\", prefix = \"Bearer \" } for a secret in "
                + "a file of its own.",
            isText: true,
            assign: { (node, draft) throws(SettingFault) in
                for field in try SettingType<[ServiceField]>.serviceFields.parse(node) {
                    draft.headers.removeAll { $0.name.lowercased() == field.name.lowercased() }
                    draft.headers.append(field)
                }
            },
            format: { $0.headers.isEmpty ? nil : SettingType<[ServiceField]>.serviceFields.format($0.headers) }
        ),
        TableKey(
            "allow-origins",
            \.allowOrigins,
            .list(of: .webOrigin),
            default: [],
            "Origins of web pages that may use the service although it has fields of its own; \"*\" for all."
        ),
        TableKey(
            "inject",
            \.inject,
            .choice,
            default: .service,
            "Which requests get these fields: those by the service's own path or host, or all that go to its base."
        ),
        TableKey(
            optional: "token",
            \.token,
            .token,
            "Where its requests get a bearer token from: OAuth 2.0, by client credentials or a refresh token."
        ),
        TableKey(
            "verify",
            \.verify,
            .choice,
            default: .on,
            "off: the service's certificate is not verified, so anybody can pose as it; for tests only."
        ),
        TableKey(
            optional: "client-certificate",
            \.clientCertificate,
            .clientCertificate,
            "Client certificate for the service: { certificate-file = \"PATH\", key-file = \"PATH\" }."
        ),
        TableKey(
            optional: "proxy",
            \.proxy,
            .serviceProxy,
            "Parent proxy for its base, as upstream.proxy, or none; upstream.no-proxy does not apply then."
        ),
        TableKey(optional: "retry", \.retry, .retry, "When its requests are repeated; see rule.retry."),
        TableKey(
            optional: "rate-limit",
            \.rateLimit,
            .rateLimit,
            "How many requests the service gets; see rule.rate-limit."
        ),
        TableKey(
            optional: "mode",
            \.mode,
            .choice,
            "How the network is used for the service, whatever the general mode; see mode."
        ),
        TableKey(
            "rule",
            \.rules,
            .serviceRules,
            default: [],
            "Its own rules, as [[rule]]; patterns begin behind its base."
        ),
    ]
}

enum ServiceName {
    /// Names that are reserved as first path segments or hosts.
    static let reserved: Set<String> = ["http", "https", "localhost", "respite"]

    /// The fault of a name; nil if it is valid.
    static func fault(_ member: TOMLMember) -> SettingFault? {
        let name = member.key
        let shown = "`service.\(TOMLText.key(name))`"
        guard isLabel(name) else {
            let lowered = name.lowercased()
            let mayBeMeant = isLabel(lowered) && !reserved.contains(lowered)
            return SettingFault(
                sentence:
                    "\(shown): the name is a host label, of letters in lower case, digits and - inside, 63 at most",
                position: member.keyPosition,
                suggestion: mayBeMeant ? "service.\(lowered)" : nil
            )
        }
        guard reserved.contains(name) else { return nil }
        return SettingFault(
            sentence: "\(shown): the name would hide another route of the proxy; take another one",
            position: member.keyPosition
        )
    }

    private static func isLabel(_ name: String) -> Bool {
        (1...63).contains(name.utf8.count) && name.utf8.allSatisfy(isLabelByte) && !name.hasPrefix("-")
            && !name.hasSuffix("-")
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension SettingType where Value == TargetURI {
    /// The base of a service.
    static var serviceBase: SettingType {
        text(
            "URL",
            expected: "an absolute http or https URL such as \"https://api.example.com/v1\", without query",
            read: base,
            format: \.text
        )
    }

    @Sendable
    private static func base(_ text: String) -> TargetURI? {
        guard !text.contains("#"), !text.contains("*"), let uri = try? TargetURI(parsing: text) else { return nil }
        var path = uri.path
        guard !path.contains(0x3F) else { return nil }
        let segments = path.split(separator: 0x2F).map(Array.init)
        guard !segments.contains([0x2E]), !segments.contains([0x2E, 0x2E]) else { return nil }
        if path.last == 0x2F { path.removeLast() }
        guard path.count == 1 || path.last != 0x2F else { return nil }
        return TargetURI(scheme: uri.scheme, host: uri.host, port: uri.port, path: path)
    }
}

extension SettingType where Value == String {
    /// The origin of a web page, as a browser sends it.
    static var webOrigin: SettingType {
        text(
            "origin of a web page",
            expected: "an origin such as \"https://app.example\", or \"*\"",
            read: { text in
                if text == "*" { return text }
                guard let uri = try? TargetURI(parsing: text), uri.path == [0x2F], !text.hasSuffix("/") else {
                    return nil
                }
                return String(uri.text.dropLast())
            }
        )
    }
}

extension SettingType where Value == [ServiceField] {
    /// Request fields, some of them secret.
    static var serviceFields: SettingType {
        SettingType(
            name: "table of fields",
            isText: false,
            parse: { (node) throws(SettingFault) -> [ServiceField] in
                guard case .table(let members) = node.value else {
                    // It may be a secret: the message does not quote it.
                    throw SettingFault(
                        message:
                            "must be a table such as { Authorization = { file = \"token\" } }, not \(node.kindName)",
                        position: node.position
                    )
                }
                var faults = FaultCollector()
                var fields: [ServiceField] = []
                for member in members {
                    faults.attempt { () throws(SettingFault) in
                        try FieldText.check(member, among: fields.map(\.name), isRequest: true)
                        fields.append(ServiceField(name: member.key, value: try value(member)))
                    }
                }
                try faults.check()
                return fields
            },
            format: { fields in
                "{ " + fields.map { "\(TOMLText.key($0.name)) = \(format($0.value))" }.joined(separator: ", ") + " }"
            }
        )
    }

    private static func value(_ member: TOMLMember) throws(SettingFault) -> ServiceFieldValue {
        guard case .table = member.node.value else { return .text(try FieldText.value(member.node)) }
        var draft = SecretDraft()
        try TableReader(name: "headers.\(TOMLText.key(member.key))", keys: SecretDraft.keys)
            .read(member.node, into: &draft)
        guard !draft.file.isEmpty else {
            throw SettingFault.lacking("needs `file`, where the value is", at: member.node.position)
        }
        return .file(path: draft.file, prefix: draft.prefix)
    }

    @Sendable
    private static func format(_ value: ServiceFieldValue) -> String {
        switch value {
        case .text(let text): TOMLText.quoted(text)
        case .file(let path, let prefix):
            TableReader(name: "", keys: SecretDraft.keys).format(SecretDraft(file: path, prefix: prefix))
        }
    }
}

/// `{ file = "…", prefix = "…" }` that is being read.
struct SecretDraft: Sendable {
    var file = ""
    var prefix = ""

    static let keys: [TableKey<SecretDraft>] = [
        TableKey(
            "file",
            \.file,
            .path,
            "Secret file that its owner alone may read. A relative path is looked up in $CREDENTIALS_DIRECTORY, "
                + "also with secrets_ before it, then beside the settings file."
        ),
        TableKey("prefix", \.prefix, .fieldPrefix, default: "", "Text before the secret, such as \"Bearer \"."),
    ]
}

extension SettingType where Value == String {
    static var fieldPrefix: SettingType {
        text(
            "text",
            expected: "text in one line",
            read: { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? $0 : nil }
        )
    }
}
