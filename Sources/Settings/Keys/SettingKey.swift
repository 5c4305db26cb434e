import TOML

/// A setting: its name, type and description.
///
/// `SettingKey.all` has all of them.
public struct SettingKey: Sendable {
    /// `limits.header-timeout`.
    public let name: String
    /// The kind of values, for documentation.
    public let typeName: String
    /// A sentence about its meaning.
    public let summary: String
    let isText: Bool
    let assign: @Sendable (TOMLNode, inout DaemonSettings) throws(SettingFault) -> Void
    /// Copies the value from the first settings to the second.
    let copy: @Sendable (DaemonSettings, inout DaemonSettings) -> Void
    private let format: @Sendable (DaemonSettings) -> String

    init<Value>(
        _ name: String,
        _ path: any WritableKeyPath<DaemonSettings, Value> & Sendable,
        _ type: SettingType<Value>,
        _ summary: String
    ) {
        self.init(name, path, type, summary) { $0 = $1 }
    }

    /// - Parameter combine: combines a value with the one from a source of lower precedence.
    init<Value>(
        _ name: String,
        _ path: any WritableKeyPath<DaemonSettings, Value> & Sendable,
        _ type: SettingType<Value>,
        _ summary: String,
        combine: @escaping @Sendable (inout Value, Value) -> Void
    ) {
        self.name = name
        self.typeName = type.name
        self.summary = summary
        self.isText = type.isText
        assign = { (node, settings) throws(SettingFault) in combine(&settings[keyPath: path], try type.parse(node)) }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        format = { type.format($0[keyPath: path]) }
    }

    /// Whether a change takes effect only at the next start, as for listeners, loops and the store.
    public var needsRestart: Bool { Self.fixed.contains(name) }

    private static let fixed: Set<String> = [
        "listen", "admin", "admin-token-file", "loops", "storage.directory", "storage.limit",
        "storage.max-object-size", "storage.keep-private", "storage.compress", "cache.credential-fields",
        "shared.url", "shared.cluster", "shared.user", "shared.password-file", "shared.timeout",
        "shared.max-object-size", "shared.partition-key-file",
    ]

    /// The value in `settings` as TOML.
    public func tomlText(in settings: DaemonSettings) -> String { format(settings) }

    /// The value without parts that may be secret.
    public func publicText(in settings: DaemonSettings) -> String {
        var shown = settings
        shown.upstream.proxy = settings.upstream.proxy?.masked
        return format(shown)
    }

    /// The default as TOML.
    public var defaultText: String { format(DaemonSettings()) }

    /// The name without its section.
    public var localName: Substring { name.lastIndex(of: ".").map { name[$0...].dropFirst() } ?? name[...] }

    /// The part before the last dot; empty for settings at the top.
    public var section: Substring { name.lastIndex(of: ".").map { name[..<$0] } ?? "" }
}
