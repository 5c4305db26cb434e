import HTTPCore
import Settings

extension LoadedSettings {
    /// Warnings about patterns that no URL or host fits, or that intercept more than in earlier versions.
    var patternWarnings: [SettingsWarning] {
        var warnings: [SettingsWarning] = []
        for rule in values.locatedRules {
            let match = rule.settings.match
            guard let warning = (try? URLGlob(match))?.warning(isBelowBase: rule.service != nil) else { continue }
            warnings.append(self.warning(at: "\(rule.path).match", "`rule.match`: \(warning.message(for: match))"))
        }
        for (name, patterns) in [("hosts", values.intercept.hosts), ("pass-through", values.intercept.passThrough)] {
            for pattern in patterns {
                guard let problem = problem(of: pattern, isPassThrough: name == "pass-through") else { continue }
                warnings.append(warning(at: "intercept.\(name)", "`intercept.\(name)`: \(problem)"))
            }
        }
        for pattern in values.access.privateNames {
            guard let warning = pattern.warning else { continue }
            let message = "`access.private-names`: \(warning.message(for: pattern.text))"
            warnings.append(self.warning(at: "access.private-names", message))
        }
        return warnings
    }

    /// Notes of `respite config check` about patterns that earlier versions read in another way.
    var patternNotes: [String] {
        var notes: [String] = []
        for rule in values.locatedRules {
            guard let note = PatternChange(rule.settings.match).note else { continue }
            notes.append("\(sourcePrefix(of: rule.path + ".match"))`rule.match`: \(note)")
        }
        let names = values.access.privateNames
        for (index, pattern) in names.enumerated() {
            let isSingle = pattern.text.hasPrefix("*.") && !pattern.text.hasPrefix("**")
            let name = isSingle ? String(pattern.text.dropFirst(2)) : pattern.text
            guard isSingle || !pattern.text.contains("*"), !names.contains(where: { $0.text == "**.\(name)" }) else {
                continue
            }
            let meaning = isSingle ? "names one label below `\(name)`" : "names that host alone"
            notes.append(
                sourcePrefix(of: "access.private-names[\(index)]")
                    + "`access.private-names`: `\(pattern.text)` \(meaning); `**.\(name)` is `\(name)` and all below it, at any depth"
            )
        }
        return notes
    }

    private func problem(of pattern: HostPattern, isPassThrough: Bool) -> String? {
        if let warning = pattern.warning { return warning.message(for: pattern.text) }
        if let port = pattern.ports.first(where: { !values.access.connectPorts.contains($0) }) {
            return
                "`\(pattern.text)` fits nothing: CONNECT to port \(port) is refused; add it to `access.connect-ports`"
        }
        guard !isPassThrough, pattern.hosts.contains("*") else { return nil }
        return
            "`*` alone is every host; earlier versions took it for hosts without a dot; write `**` if you mean every host"
    }

    /// Where the setting at a path is set, for the start of a sentence.
    private func sourcePrefix(of path: String) -> String {
        switch origin(ofPath: path) {
        case .standard: ""
        case let origin: "\(origin): "
        }
    }
}

/// What a pattern means that earlier versions did not take it for.
private struct PatternChange {
    let note: String?

    init(_ match: String) {
        let parts = match.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix(":"), parts[1].isEmpty else {
            note = nil
            return
        }
        let authority = parts[2].prefix { $0 != "/" && $0 != "?" }
        if authority == "*" || authority.hasPrefix("*:") {
            note =
                "in `\(match)` the host `*` is every host; earlier versions took it for hosts without a dot; `**` means every host to both"
        } else if authority.hasSuffix(":*") {
            note = "in `\(match)` the port `*` is every port; earlier versions left out the scheme's own"
        } else {
            note = nil
        }
    }
}
