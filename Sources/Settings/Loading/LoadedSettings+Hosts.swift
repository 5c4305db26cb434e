import HostLists
public import Platform

extension LoadedSettings {
    /// Reads the lists of hosts that rules name; blocks.
    ///
    /// A file that several rules name is read once. A rule whose file has a mistake applies to no URL.
    public mutating func readHostLists(_ context: ProcessContext, _ mistakes: inout SettingsMistakes) {
        var known: [String: HostList?] = [:]
        for index in values.rules.indices {
            guard let name = values.rules[index].hostsFile else { continue }
            let file = filePath(name, context)
            if known[file] == nil {
                known[file] = .some(
                    mistakes.attempt { () throws(SettingsError) in
                        try hosts(of: file, at: "rule[\(index)].match-hosts-file")
                    }
                )
            }
            values.rules[index].hosts = known[file] ?? nil
        }
    }

    private func hosts(of file: String, at path: String) throws(SettingsError) -> HostList {
        let text: [UInt8]
        do throws(HostListFile.Fault) {
            text = try HostListFile.read(file, for: self.file)
        } catch {
            throw self.error(at: path, "`rule.match-hosts-file`: \(error.reason(for: file))")
        }
        do throws(HostListFault) {
            return try HostList(parsing: text)
        } catch {
            throw SettingsError(source: file, line: error.line, lineText: error.text, userMessage: error.userMessage)
        }
    }
}

extension HostListFile.Fault {
    fileprivate func reason(for file: String) -> String {
        switch self {
        case .unreadable(let error):
            "\(file) cannot be read: \(error.reason); a relative path starts beside the settings file"
        case .notRegular: "\(file) is no regular file; name a file of hosts, one a line"
        case .writable: "\(file) may be written by everybody on this machine; `chmod o-w` it"
        case .foreign(let owner):
            "\(file) belongs to user \(owner), who could change it; `chown` it to root or to the owner of the settings file"
        case .tooLarge:
            "\(file) has more than \(HostListFile.limit >> 20) MiB; split it, and write a rule for each part"
        }
    }
}
