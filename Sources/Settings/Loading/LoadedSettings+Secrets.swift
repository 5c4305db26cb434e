public import Platform

extension LoadedSettings {
    /// The most bytes of a secret file.
    static let secretLimit = 8192

    /// The fields of all services, by the service's name; reads secret files, and blocks.
    ///
    /// A mistake about a file has the position of the setting that names it, and quotes nothing of the file.
    public func serviceFields(
        _ context: ProcessContext,
        _ mistakes: inout SettingsMistakes
    ) -> [String: [FieldSetting]] {
        var fields: [String: [FieldSetting]] = [:]
        for service in values.services {
            for field in service.headers {
                let path = "service.\(service.name).headers.\(field.name)"
                let value = mistakes.attempt { () throws(SettingsError) in try text(field.value, path, context) }
                guard let value else { continue }
                fields[service.name, default: []].append(FieldSetting(name: field.name, value: value))
            }
        }
        return fields
    }

    /// The secrets for the token endpoints of services, by the service's name; blocks.
    ///
    /// Adds mistakes as `serviceFields` does.
    public func tokenSecrets(_ context: ProcessContext, _ mistakes: inout SettingsMistakes) -> [String: TokenSecrets] {
        var secrets: [String: TokenSecrets] = [:]
        for service in values.services {
            guard let token = service.token else { continue }
            let path = "service.\(service.name).token"
            func read(_ member: String, _ file: String?, _ mistakes: inout SettingsMistakes) -> String? {
                guard let file else { return nil }
                return mistakes.attempt { () throws(SettingsError) in
                    try text(.file(path: file, prefix: ""), "\(path).\(member)", context)
                }
            }
            secrets[service.name] = TokenSecrets(
                clientSecret: read("client-secret", token.clientSecret, &mistakes) ?? "",
                refreshToken: read("refresh-token", token.refreshToken, &mistakes)
            )
        }
        return secrets
    }

    /// User name and password for a proxy, from the settings or a file; blocks.
    ///
    /// - Parameter path: the setting's path, for errors.
    public func login(
        of proxy: UpstreamProxy,
        at path: String,
        _ context: ProcessContext
    ) throws(SettingsError) -> (user: String, password: String)? {
        switch proxy.login {
        case nil: return nil
        case .text(let user, let password): return (user, password)
        case .file(let name):
            let line = try text(.file(path: name, prefix: ""), "\(path).login", context)
            guard let login = UpstreamProxy.login(line: line) else {
                throw error(at: "\(path).login.file", "`\(path).login`: \(name) must hold USER:PASSWORD")
            }
            return login
        }
    }

    /// The secret in a file, without the end of its line; nil if no file is named; blocks.
    ///
    /// - Parameter path: the setting that names the file.
    public func secret(
        _ file: String?,
        at path: String,
        _ context: ProcessContext
    ) throws(SettingsError) -> [UInt8]? {
        guard let file else { return nil }
        let name = filePath(file, context)
        do {
            return Array(try SecretFile.readLine(name, limit: Self.secretLimit, where: FieldText.isValue).utf8)
        } catch {
            throw self.error(at: path, "`\(path)`: \(error.reason(for: name))")
        }
    }

    private func text(
        _ value: ServiceFieldValue,
        _ path: String,
        _ context: ProcessContext
    ) throws(SettingsError) -> String {
        guard case .file(let name, let prefix) = value else {
            if case .text(let text) = value { return text }
            return ""
        }
        let file = filePath(name, context)
        do {
            return prefix + (try SecretFile.readLine(file, limit: Self.secretLimit, where: FieldText.isValue))
        } catch {
            throw self.error(at: "\(path).file", "`\(path)`: \(error.reason(for: file))")
        }
    }

    /// Resolves a relative path among the service manager's credentials, or else beside the settings file.
    ///
    /// `LoadCredential=secrets:DIRECTORY` makes each file there a credential `secrets_NAME` (systemd.exec(5)).
    public func filePath(_ name: String, _ context: ProcessContext) -> String {
        guard !name.hasPrefix("/") else { return name }
        if let directory = context.environment["CREDENTIALS_DIRECTORY"] {
            for credential in ["\(directory)/\(name)", "\(directory)/secrets_\(name)"]
            where SmallFile.exists(credential) {
                return credential
            }
        }
        guard let file, let slash = file.lastIndex(of: "/") else { return name }
        return "\(file[...slash])\(name)"
    }
}

extension SecretFault {
    fileprivate func reason(for file: String) -> String {
        switch self {
        case .unreadable(let failure):
            "\(file) cannot be read: \(failure.reason); it must hold the secret in one line, for its owner alone (`chmod 600`)"
        case .tooOpen: "\(file) can be read by everybody, or written by others than its owner; `chmod 600` it"
        case .foreign(let owner, let user):
            "\(file) belongs to user \(owner), and Respite runs as user \(user): whoever owns it could change it; "
                + "`chown` it to that user or to root"
        case .notRegular: "\(file) is no regular file"
        case .tooLarge: "\(file) has more than \(LoadedSettings.secretLimit) bytes"
        case .empty: "\(file) is empty"
        case .notAValue: "\(file) must hold one line of text, which can be the value of a field"
        }
    }
}
