import TOML

/// Finds secrets that stand in files which everybody on this machine can read.
struct SecretWarnings {
    let settings: DaemonSettings
    let locations: SettingLocations

    var all: [SettingsWarning] {
        var warnings: [SettingsWarning] = []
        func warn(_ path: String, _ what: String, _ remedy: String) {
            guard let location = locations.nearest(path), location.source.isOpen(location.position) else { return }
            let message =
                location.source.isOption
                ? "`\(path)` has \(what), which everybody on this machine can read in the list of processes: \(remedy)"
                : "`\(path)` has \(what), and everybody on this machine can read this file: \(remedy), or `chmod o-r "
                    + "\(location.source.name)`"
            warnings.append(SettingsWarning(message, at: location.source.location(location.position)))
        }
        for service in settings.services {
            for field in service.headers {
                guard case .text = field.value, Self.isSecret(field.name) else { continue }
                let path = "service.\(service.name).headers.\(field.name)"
                warn(path, "a secret", "write { file = \"PATH\" } and move it there")
            }
            guard case .through(let proxy)? = service.proxy, case .text? = proxy.login else { continue }
            warn("service.\(service.name).proxy", "a password", Self.proxyRemedy)
        }
        if case .text? = settings.upstream.proxy?.login { warn("upstream.proxy", "a password", Self.proxyRemedy) }
        return warnings
    }

    private static let proxyRemedy =
        "write { url = \"…\", login = { file = \"PATH\" } } and move user and password there"

    /// Whether the value of a field is likely to be a secret.
    private static func isSecret(_ field: String) -> Bool {
        let name = field.lowercased()
        return ["auth", "cookie", "key", "token", "secret", "password", "credential", "signature"]
            .contains { name.contains($0) }
    }
}

extension SettingSource {
    /// Whether everybody on this machine can read what the key at a position is set to.
    ///
    /// What a variable contributes is not in the file.
    fileprivate func isOpen(_ key: TextPosition) -> Bool {
        (isOption || isReadableByAll) && !variableKeys.contains(key)
    }
}
