/// A setting as `respite config schema` and the manual describe it.
public struct DocumentedSetting: Sendable {
    /// `limits.ranges`, `service.NAME.base`, `rule.ttl`, `rule.transform.json`.
    public let name: String
    public let typeName: String
    /// The default as TOML; nil if there is none.
    public let defaultText: String?
    /// A sentence about its meaning.
    public let summary: String

    /// All settings, in the order of the documentation.
    public static let all: [DocumentedSetting] = plain + listeners + services + includes + warm + rules + transformers

    /// The settings that have one value.
    static let plain = SettingKey.all.map { key in
        DocumentedSetting(
            name: key.name,
            typeName: key.typeName,
            defaultText: key.defaultText,
            summary: key.summary
        )
    }
    public static let listeners = of(ListenerDraft.keys, "listener")
    public static let services =
        of(ServiceDraft.keys, "service.NAME") + of(SecretDraft.keys, "service.NAME.headers.FIELD")
        + of(TokenDraft.keys, "service.NAME.token")
    public static let includes = of(RuleInclude.keys, "include")
    public static let warm = of(WarmDraft.keys, "warm")
    public static let rules =
        of(RuleSettings.keys, "rule") + of(RetrySettings.keys, "rule.retry")
        + of(RateLimitDraft.keys, "rule.rate-limit") + of(RedirectSettings.keys, "rule.redirect")
        + of(FailDraft.keys, "rule.fail")
    public static let transformers =
        of(TransformDraft.keys, "rule.transform") + of(FieldChanges.keys, "rule.transform.fields")

    private static func of<Root>(_ keys: [TableKey<Root>], _ table: String) -> [DocumentedSetting] {
        keys.map { key in
            DocumentedSetting(
                name: "\(table).\(key.name)",
                typeName: key.typeName,
                defaultText: key.defaultText,
                summary: key.summary
            )
        }
    }
}
