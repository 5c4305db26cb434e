import HostLists
public import HTTPCore
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

extension LoadedSettings {
    /// Reads the list of a `[[warm]]`; blocks.
    public func urls(of warm: WarmSettings, _ context: ProcessContext) throws(SettingsError) -> [TargetURI] {
        let file = filePath(warm.urls, context)
        let index = values.warm.firstIndex(of: warm) ?? 0
        let text: [UInt8]
        do throws(HostListFile.Fault) {
            text = try HostListFile.read(file, for: self.file)
        } catch {
            throw self.error(at: "warm[\(index)].urls", "`warm.urls`: \(error.reason(for: file, of: "URLs"))")
        }
        let list = URLList(parsing: text)
        guard let fault = list.faults.first else { return list.urls }
        throw SettingsError(source: file, line: fault.line, userMessage: fault.userMessage)
    }
}

extension HostListFile.Fault {
    fileprivate func reason(for file: String, of kind: String = "hosts") -> String {
        switch self {
        case .unreadable(let error):
            "\(file) cannot be read: \(error.reason); a relative path starts beside the settings file"
        case .notRegular: "\(file) is no regular file; name a file of \(kind), one a line"
        case .writable: "\(file) may be written by everybody on this machine; `chmod o-w` it"
        case .foreign(let owner):
            "\(file) belongs to user \(owner), who could change it; `chown` it to root or to the owner of the settings file"
        case .tooLarge:
            "\(file) has more than \(HostListFile.limit >> 20) MiB; split it"
        }
    }
}
