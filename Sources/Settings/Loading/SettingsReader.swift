import HTTPCore

/// Collects settings from a file and from options, each overriding earlier ones, and checks them together.
public struct SettingsReader {
    private var settings = DaemonSettings()
    private var services: [String: ServiceDraft] = [:]
    private var locations = SettingLocations()
    /// The rules of the file or of options, without included ones, which come before them.
    private var ownRules: (member: TOMLMember, source: SettingSource)?
    private var included: [RuleSettings] = []
    private var includedLocations: [(member: TOMLMember, source: SettingSource)] = []
    /// The `[[include]]`s, in order; call `read(_:name:including:)` for each.
    public private(set) var includes: [RuleInclude] = []
    /// The presets in force; see `readPresets`.
    var presets: [LoadedPreset] = []
    /// The last file that was read.
    private var file: String?
    private var warnings: [String] = []

    /// Begins with the defaults.
    public init() {}

    /// Reads a complete file of TOML.
    ///
    /// - Parameter name: the path, for errors and `respite config show`.
    public mutating func read(_ bytes: [UInt8], name: String) throws(SettingsError) {
        file = name
        var source = SettingSource(name: name, bytes: bytes)
        let members: [TOMLMember]
        do {
            members = try TOMLDocument.parse(bytes)
        } catch {
            throw source.syntaxError(error)
        }
        source.hideSecrets(in: members)
        try read(members, section: "", from: source)
    }

    /// Reads a file of rules that `[[include]]` names: they come before all others.
    ///
    /// - Parameter index: the index in `includes`.
    public mutating func read(_ bytes: [UInt8], name: String, including index: Int) throws(SettingsError) {
        _ = try read(bytes, name: name, below: includes[index].below)
    }

    /// Reads rules whose patterns are paths, for servers.
    ///
    /// - Returns: the rules as the file has them, and the indexes of those made from them among all rules.
    mutating func read(
        _ bytes: [UInt8],
        name: String,
        below servers: [String]
    ) throws(SettingsError) -> (rules: [RuleSettings], range: Range<Int>) {
        let source = SettingSource(name: name, bytes: bytes)
        let members: [TOMLMember]
        do {
            members = try TOMLDocument.parse(bytes)
        } catch {
            throw source.syntaxError(error)
        }
        let first = included.count
        var all: [RuleSettings] = []
        for member in members {
            guard member.key == "rule" else {
                let message =
                    "an included file holds [[rule]]s and nothing else; `\(member.key)` belongs in the settings file"
                throw source.error(message, at: member.keyPosition)
            }
            do throws(SettingFault) {
                let own = try SettingType<[RuleSettings]>.includedRules.parse(member.node)
                let rules = RuleInclude(file: name, below: servers).bound(own)
                guard included.count + rules.count <= RuleSettings.limit else {
                    throw SettingFault(
                        sentence: "with this file there are more than \(RuleSettings.limit) rules",
                        position: member.keyPosition
                    )
                }
                all += own
                for rule in rules { try Self.requirePattern(rule.match, at: member.keyPosition) }
                included += rules
            } catch {
                throw source.error(error, for: "rule")
            }
            for _ in servers { includedLocations.append((member, source)) }
        }
        return (all, first..<included.count)
    }

    /// The presets that `rules` names.
    var presetSettings: [PresetSetting] { settings.presets }

    /// An error about a setting.
    func error(about path: String, _ message: String) -> SettingsError { locations.error(at: path, message) }

    /// Refuses a pattern that became too long, or has too many alternatives, behind a server of `below`.
    private static func requirePattern(_ text: String, at position: TextPosition) throws(SettingFault) {
        do throws(URLGlob.SyntaxError) {
            _ = try URLGlob(text)
        } catch {
            throw SettingFault(
                sentence: "a pattern behind a server of `include.below` is wrong: \(error.userMessage)",
                position: position
            )
        }
    }

    /// The path of the file that an `[[include]]` names; a relative path starts beside the settings file.
    func path(including index: Int) -> String {
        let name = includes[index].file
        guard !name.hasPrefix("/"), let file, let slash = file.lastIndex(of: "/") else { return name }
        return "\(file[...slash])\(name)"
    }

    /// An error about the file that an `[[include]]` names.
    func error(including index: Int, _ message: String) -> SettingsError {
        locations.error(at: "include[\(index)].file", message)
    }

    /// Reads `a.b=value` of `--set`: a TOML key, and TOML or a bare word.
    public mutating func set(_ text: String) throws(SettingsError) {
        var source = SettingSource(option: "--set", argument: text)
        let assignment: CommandLineAssignment
        let value: TOMLNode
        do {
            assignment = try CommandLineAssignment(text)
            let isText = Self.isText(assignment.path.map(\.key))
            value = try CommandLineValue.node(assignment.value, isText: isText, column: assignment.column)
        } catch {
            throw source.syntaxError(error)
        }
        let member = assignment.member(value)
        source.hideSecrets(in: [member])
        try read([member], section: "", from: source)
    }

    /// Reads the arguments of an option that sets a setting, such as those of all `--listen`.
    public mutating func set(_ name: String, to arguments: [String], option: String) throws(SettingsError) {
        let source = SettingSource(option: option, argument: nil)
        guard let key = SettingKey.byName[name] else { throw source.error("there is no setting `\(name)`", at: nil) }
        var nodes: [TOMLNode] = []
        do {
            for argument in arguments {
                nodes.append(try CommandLineValue.node(argument, isText: key.isText, column: 1))
            }
        } catch {
            throw source.error("`\(name)`: \(error.message)", at: error.position)
        }
        let position = TextPosition(line: 1, column: 1)
        let node = nodes.count == 1 ? nodes[0] : TOMLNode(value: .array(nodes), position: position)
        try assign(node, to: key, at: position, from: source)
    }

    /// Checks settings against each other, and returns them all.
    public func finish() throws(SettingsError) -> LoadedSettings {
        var loaded = LoadedSettings(values: settings, locations: locations, file: file)
        loaded.warnings = warnings
        loaded.presets = presets
        if !included.isEmpty {
            loaded.values.rules = included + settings.rules
            var count = 0
            for (member, source) in includedLocations + (ownRules.map { [$0] } ?? []) {
                loaded.locations.record(member, as: "rule", from: source, behind: count)
                if case .array(let rules) = member.node.value { count += rules.count }
            }
        }
        loaded.values.services = try finishedServices()
        try SettingsRules(locations: locations).check(&loaded.values)
        return loaded
    }

    // MARK: Sections and settings

    private mutating func read(
        _ members: [TOMLMember],
        section: String,
        from source: SettingSource
    ) throws(SettingsError) {
        for member in members {
            let name = section.isEmpty ? member.key : "\(section).\(member.key)"
            switch name {
            case "listener": try readListeners(member, from: source)
            case "rule": try readRules(member, from: source)
            case "service": try readServices(member, from: source)
            case "include": try readIncludes(member, from: source)
            case let name where SettingKey.sections.contains(name):
                guard case .table(let inner) = member.node.value else {
                    let message = "`\(name)` is a section, not a setting: write [\(name)]"
                    throw source.error(message, at: member.keyPosition)
                }
                try read(inner, section: name, from: source)
            case let name where RetiredSetting.names.contains(name):
                warnings.append(RetiredSetting.warning(name, at: member.keyPosition, in: source))
            default:
                let current = RenamedSetting.currentName(of: name)
                guard let key = SettingKey.byName[current] else {
                    throw unknown(name, at: member.keyPosition, in: source)
                }
                if current != name { warnings.append(RenamedSetting.warning(name, at: member.keyPosition, in: source)) }
                try assign(member.node, to: key, at: member.keyPosition, from: source)
            }
        }
    }

    /// Whether a value on the command line is text even without quotes.
    private static func isText(_ path: [String]) -> Bool {
        if path.first == "service", path.count >= 3 {
            return path.count > 3 || ServiceDraft.keys.contains { $0.name == path[2] && $0.isText }
        }
        let name = RenamedSetting.currentName(of: path.joined(separator: "."))
        return SettingKey.byName[name]?.isText ?? false
    }

    private func unknown(_ name: String, at position: TextPosition, in source: SettingSource) -> SettingsError {
        var error = source.error("unknown setting `\(name)`", at: position)
        error.suggestion = SettingKey.nearest(to: name)
        return error
    }

    private mutating func assign(
        _ node: TOMLNode,
        to key: SettingKey,
        at keyPosition: TextPosition,
        from source: SettingSource
    ) throws(SettingsError) {
        do {
            try key.assign(node, &settings)
        } catch {
            throw source.error(error, for: key.name)
        }
        locations[key.name] = SettingLocation(source: source, position: keyPosition)
        if key.name == "listen" { forgetListeners(at: "listener", unless: source) }
    }

    // MARK: Listeners

    /// Reads `[[listener]]`; listeners of an option replace those of the file.
    private mutating func readListeners(_ member: TOMLMember, from source: SettingSource) throws(SettingsError) {
        do {
            settings.listeners = try SettingType<[ListenerSettings]>.listeners.parse(member.node)
        } catch {
            throw source.error(error, for: "listener")
        }
        locations.record(member, as: "listener", from: source)
        forgetListeners(at: "listen", unless: source)
        if locations["listen"] == nil { settings.listen = [] }
    }

    /// Removes the file's listeners of the other kind (`listen` or `[[listener]]`) if an option sets some.
    private mutating func forgetListeners(at path: String, unless source: SettingSource) {
        guard source.isOption, let location = locations[path], !location.source.isOption else { return }
        locations.forget(path)
        if path == "listener" { settings.listeners = [] }
    }

    /// Replaces all listeners by sockets from the service manager.
    ///
    /// A socket with the address of a `[[listener]]` has its routes.
    mutating func inheritListeners(_ addresses: [String]) throws(SettingsError) {
        var left = settings.listeners
        let locations = locations
        var usual: [String] = []
        var kept: [ListenerSettings] = []
        for text in addresses {
            let address = ListenAddress(text: text)
            if let index = left.firstIndex(where: { $0.address.endpoint == address }) {
                kept.append(left.remove(at: index))
            } else {
                usual.append(text)
            }
        }
        if let stray = left.first, let index = settings.listeners.firstIndex(of: stray) {
            throw locations.error(
                at: "listener[\(index)].address",
                "the service manager handed over no socket for \(stray.address), only \(addresses.joined(separator: ", ")): "
                    + "name it in ListenStream= of the socket unit, or take the listener away"
            )
        }
        settings.listeners = kept
        settings.listen = []
        guard !usual.isEmpty else { return }
        try set("listen", to: usual, option: "LISTEN_FDS")
        settings.listeners = kept
    }

    // MARK: Rules and services

    /// Reads rules; those of an option replace those of the file.
    private mutating func readRules(_ member: TOMLMember, from source: SettingSource) throws(SettingsError) {
        do {
            settings.rules = try SettingType<[RuleSettings]>.rules.parse(member.node)
        } catch {
            throw source.error(error, for: "rule")
        }
        locations.record(member, as: "rule", from: source)
        ownRules = (member, source)
    }

    /// Reads includes; those of an option replace those of the file.
    private mutating func readIncludes(_ member: TOMLMember, from source: SettingSource) throws(SettingsError) {
        do {
            includes = try SettingType<[RuleInclude]>.includes.parse(member.node)
        } catch {
            throw source.error(error, for: "include")
        }
        locations.record(member, as: "include", from: source)
    }

    private mutating func readServices(_ member: TOMLMember, from source: SettingSource) throws(SettingsError) {
        guard case .table(let members) = member.node.value else {
            throw source.error("`service` is a table of services: write [service.NAME]", at: member.keyPosition)
        }
        for service in members { try readService(service, from: source) }
    }

    /// Reads a service; an option overrides the file, setting by setting.
    private mutating func readService(_ member: TOMLMember, from source: SettingSource) throws(SettingsError) {
        if let fault = ServiceName.fault(member) { throw source.error(fault, for: "service") }
        let path = "service.\(member.key)"
        do {
            try ServiceDraft.reader(for: member.key).read(
                member.node,
                into: &services[member.key, default: ServiceDraft()]
            )
        } catch {
            throw source.error(error, for: path)
        }
        if locations[path] == nil { locations[path] = SettingLocation(source: source, position: member.keyPosition) }
        guard case .table(let inner) = member.node.value else { return }
        for setting in inner { locations.record(setting, as: "\(path).\(setting.key)", from: source) }
    }

    private func finishedServices() throws(SettingsError) -> [ServiceSettings] {
        var finished: [ServiceSettings] = []
        for (name, draft) in services.sorted(by: { $0.key < $1.key }) {
            let path = "service.\(name)"
            guard let service = draft.settings(name: name) else {
                throw locations.error(at: path, "`\(path)` needs `base`, the URL it stands for")
            }
            finished.append(service)
        }
        return finished
    }
}

extension SettingSource {
    /// The error for a wrong value of `key`.
    fileprivate func error(_ fault: SettingFault, for key: String) -> SettingsError {
        var detailed = error(fault.sentence(for: key), at: fault.position)
        detailed.suggestion = fault.suggestion
        return detailed
    }
}

extension SettingKey {
    /// The valid name that the user probably meant: in the same section, in another one, or the most similar.
    static func nearest(to name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let local = String(parts.last ?? "")
        let section = parts.dropLast().joined(separator: ".")
        let siblings = all.filter { $0.section == section }.map { String($0.localName) }
        let tables = Array(sections) + ["rule", "service", "include", "listener"]
        if let found = NearestName.find(local, in: siblings + (section.isEmpty ? tables : [])) {
            return section.isEmpty ? found : "\(section).\(found)"
        }
        if let elsewhere = all.first(where: { $0.localName == local }) { return elsewhere.name }
        return NearestName.find(name, in: all.map(\.name) + tables)
    }
}
