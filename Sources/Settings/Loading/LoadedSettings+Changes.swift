import HTTPCore

/// A setting that a reload has changed.
public struct SettingChange: Sendable, Equatable {
    /// The setting's name, such as `limits.ranges`, `service.github` or `rule`.
    public var name: String
    /// The values as TOML; nil if there is none, or if it may be secret.
    public var old: String?
    public var new: String?
    /// Whether it takes effect at the next start.
    public var needsRestart: Bool

    public init(name: String, old: String?, new: String?, needsRestart: Bool) {
        (self.name, self.old, self.new, self.needsRestart) = (name, old, new, needsRestart)
    }
}

extension LoadedSettings {
    /// The settings that differ from `old`.
    ///
    /// - Parameter services: services whose secret files have changed under the same names.
    public func changes(since old: LoadedSettings, changedSecrets services: Set<String> = []) -> [SettingChange] {
        var changes: [SettingChange] = []
        for key in SettingKey.all {
            let (before, after) = (key.tomlText(in: old.values), key.tomlText(in: values))
            guard before != after else { continue }
            changes.append(
                SettingChange(
                    name: key.name,
                    old: key.publicText(in: old.values),
                    new: key.publicText(in: values),
                    needsRestart: key.needsRestart
                )
            )
        }
        if old.values.listeners != values.listeners {
            func shown(_ listeners: [ListenerSettings]) -> String {
                SettingType<[ListenerSettings]>.listeners.format(listeners)
            }
            func addresses(_ settings: DaemonSettings) -> [String] {
                settings.allListeners.map(\.address.description).sorted()
            }
            changes.append(
                SettingChange(
                    name: "listener",
                    old: shown(old.values.listeners),
                    new: shown(values.listeners),
                    needsRestart: addresses(old.values) != addresses(values)
                )
            )
        }
        let names = Set((old.values.services + values.services).map(\.name))
        for name in names.sorted() {
            let before = old.values.services.first { $0.name == name }
            let after = values.services.first { $0.name == name }
            guard before != after || services.contains(name) else { continue }
            changes.append(
                SettingChange(
                    name: "service.\(name)",
                    old: before?.base.text,
                    new: after?.base.text,
                    needsRestart: false
                )
            )
        }
        if old.values.warm != values.warm {
            let shown = SettingType<[WarmSettings]>.warm.format
            changes.append(
                SettingChange(
                    name: "warm",
                    old: shown(old.values.warm),
                    new: shown(values.warm),
                    needsRestart: false
                )
            )
        }
        if old.values.rules != values.rules {
            func count(_ rules: [RuleSettings]) -> String { rules.count == 1 ? "1 rule" : "\(rules.count) rules" }
            changes.append(
                SettingChange(
                    name: "rule",
                    old: count(old.values.rules),
                    new: count(values.rules),
                    needsRestart: false
                )
            )
        }
        return changes
    }

    /// These settings with the values of `running` for settings that need a restart, checked again as a whole.
    public func keepingWhatNeedsRestart(of running: LoadedSettings) throws(SettingsError) -> LoadedSettings {
        var kept = self
        let listen = values.listen
        for key in SettingKey.all where key.needsRestart {
            key.copy(running.values, &kept.values)
            kept.locations[key.name] = running.locations[key.name]
        }
        kept.keepListeners(of: running, usual: listen)
        var mistakes = SettingsMistakes()
        SettingsRules(locations: kept.locations).check(&kept.values, &mistakes)
        try mistakes.check(sources)
        return kept
    }

    /// Keeps the addresses of `running`; an address in both has the routes of these settings.
    ///
    /// - Parameter usual: the addresses of `listen` in these settings.
    private mutating func keepListeners(of running: LoadedSettings, usual: [ListenAddress]) {
        var left = values.listeners
        var usual = usual
        var (listen, listeners): ([ListenAddress], [ListenerSettings]) = ([], [])
        for listener in running.values.allListeners {
            let address = listener.address
            if let index = left.firstIndex(where: { $0.address == address }) {
                listeners.append(left.remove(at: index))
            } else if let index = usual.firstIndex(of: address) {
                listen.append(usual.remove(at: index))
            } else {
                keep(listener, of: running.values, &listen, &listeners)
            }
        }
        (values.listen, values.listeners) = (listen, listeners)
    }

    /// Keeps a listener that these settings do not name, with the login that it requires now.
    private func keep(
        _ listener: ListenerSettings,
        of running: DaemonSettings,
        _ listen: inout [ListenAddress],
        _ listeners: inout [ListenerSettings]
    ) {
        var kept = listener
        kept.login = running.loginFile(of: listener).map { .file($0) } ?? listener.login
        if kept.routes != nil || kept.login != nil { listeners.append(kept) } else { listen.append(kept.address) }
    }
}
