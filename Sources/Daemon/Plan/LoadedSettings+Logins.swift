import Logins
import Platform
import Settings

extension LoadedSettings {
    /// Reads the login files that listeners name; blocks.
    ///
    /// A file that several listeners name is read once.
    /// - Returns: the users, by the name of the file in the settings.
    func logins(_ context: ProcessContext, _ mistakes: inout SettingsMistakes) -> [String: LoginTable] {
        var logins: [String: LoginTable] = [:]
        for (name, path) in namedLoginFiles where logins[name] == nil {
            logins[name] = mistakes.attempt { () throws(SettingsError) in
                try table(of: filePath(name, context), at: path)
            }
        }
        return logins
    }

    /// Each login file with the path of the setting that names it.
    private var namedLoginFiles: [(name: String, path: String)] {
        var files: [(name: String, path: String)] = []
        if let name = values.access.loginFile { files.append((name, "access.login-file")) }
        for (index, listener) in values.listeners.enumerated() {
            if case .file(let name)? = listener.login { files.append((name, "listener[\(index)].login-file")) }
        }
        return files
    }

    private func table(of file: String, at path: String) throws(SettingsError) -> LoginTable {
        let text: [UInt8]
        do throws(SecretFault) {
            text = try SecretFile.readBytes(file, limit: LoginFile.limit)
        } catch {
            throw self.error(at: path, "`login-file`: \(error.loginReason(for: file))")
        }
        do throws(LoginFileFault) {
            return try LoginTable(try LoginFile(parsing: text))
        } catch {
            throw SettingsError(source: file, line: error.line, userMessage: error.userMessage)
        }
    }

    /// Warnings about listeners at which browsers cannot log in.
    var loginWarnings: [SettingsWarning] {
        let listener = values.allListeners.first {
            values.loginFile(of: $0) != nil && values.routes(of: $0) == [.gateway]
        }
        guard let listener else { return [] }
        return [
            warning(
                at: "gateway",
                "the reverse proxy at \(listener.address) requires a proxy login, which browsers do not send there: "
                    + "`login-file = false` in its [[listener]] lifts that"
            )
        ]
    }
}

extension SecretFault {
    fileprivate func loginReason(for file: String) -> String {
        switch self {
        case .unreadable(let failure):
            "\(file) cannot be read: \(failure.reason); `respite passwd \(file) USER` makes one, and the daemon's user must "
                + "be able to read it"
        case .tooOpen:
            "\(file) can be read by everybody, or written by others than its owner; `chmod 600` it, or 640 for its group"
        case .foreign(let owner, let user):
            "\(file) belongs to user \(owner), and Respite runs as user \(user): whoever owns it could change it; "
                + "`chown` it to that user or to root"
        case .notRegular: "\(file) is no regular file"
        case .tooLarge: "\(file) has more than \(LoginFile.limit >> 20) MiB"
        case .empty, .notAValue: "\(file) holds no login"
        }
    }
}
