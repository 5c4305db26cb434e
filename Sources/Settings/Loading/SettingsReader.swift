import CommandSyntax
import HTTPCore
import Platform
import TOML

/// Collects settings from a file and from options, each overriding earlier ones, and checks them together.
///
/// It reads on after a mistake, and reports all of them at the end.
public struct SettingsReader {
    private var settings = DaemonSettings()
    private var services: [String: ServiceDraft] = [:]
    private var locations = SettingLocations()
    /// The rules of files or of an option, without included ones, which come before them.
    private var ownRules: [(member: TOMLMember, source: SettingSource)] = []
    private var included: [RuleSettings] = []
    private var includedLocations: [(member: TOMLMember, source: SettingSource)] = []
    /// The `[[include]]`s, in order; call `read(_:name:including:)` for each.
    public private(set) var includes: [RuleInclude] = []
    /// The presets in force; see `readPresets`.
    var presets: [LoadedPreset] = []
    /// The last settings file that was read, or where it would be if only `conf.d` beside it is; not a file of
    /// `conf.d`.
    private var file: String?
    private var warnings: [SettingsWarning] = []
    private var mistakes = SettingsMistakes()
    /// The settings with mistakes, by path, such as `limits.ranges` and `service.x`.
    private var faulty: Set<String> = []
    /// The names of files and options in the order in which they were read.
    private var sources: [String] = []
    /// The sources with text that is not TOML: what seems to be missing there may be in such a line.
    private var broken: Set<String> = []

    private let variables: VariableText

    /// Begins with the defaults.
    ///
    /// - Parameter environment: the variables that texts may name.
    public init(environment: [String: String] = [:]) { variables = VariableText(environment: environment) }

    /// Reads a complete file of TOML.
    ///
    /// - Parameter name: the path, for errors and `respite config show`.
    public mutating func read(_ bytes: [UInt8], name: String) {
        file = name
        read(bytes, from: SettingSource(name: name, bytes: bytes))
    }

    /// Reads the settings file, and warns if others can change it.
    mutating func read(_ settings: SettingsFile, name: String) {
        file = name
        var source = SettingSource(name: name, bytes: settings.bytes)
        source.isReadableByAll = settings.isReadableByAll
        if settings.isWritableByAll {
            let place = SettingsPlace(source: name)
            warnings.append(
                SettingsWarning("may be written by everybody on this machine; `chmod o-w \(name)`", at: place)
            )
        }
        read(settings.bytes, from: source)
    }

    /// Reads a file of `conf.d`: its rules, listeners, includes and services are added to those before it.
    ///
    /// Of a setting that is set twice the later value holds, and a warning names both places.
    mutating func add(_ settings: SettingsFile, name: String) {
        var source = SettingSource(name: name, bytes: settings.bytes)
        source.isAddition = true
        source.isReadableByAll = settings.isReadableByAll
        read(settings.bytes, from: source)
    }

    /// The settings file, or the path where it would be.
    mutating func locate(_ file: String) { self.file = file }

    private mutating func read(_ bytes: [UInt8], from source: SettingSource) {
        var source = source
        let members = parse(bytes, of: &source)
        read(members, section: "", from: source)
    }

    private mutating func parse(_ bytes: [UInt8], of source: inout SettingSource) -> [TOMLMember] {
        begin(source.name)
        let (members, errors) = TOMLRecovery.parse(bytes)
        for error in errors {
            broken.insert(source.name)
            mistakes.add(source.syntaxError(error))
        }
        return source.expand(members, variables)
    }

    /// Notes the order of sources.
    private mutating func begin(_ source: String) {
        if !sources.contains(source) { sources.append(source) }
    }

    /// Reads a file of rules that `[[include]]` names: they come before all others.
    ///
    /// - Parameter index: the index in `includes`.
    public mutating func read(_ bytes: [UInt8], name: String, including index: Int) {
        _ = read(bytes, name: name, below: includes[index].below)
    }

    /// Reads rules whose patterns are paths, for servers.
    ///
    /// - Returns: the rules as the file has them, and the indexes of those made from them among all rules.
    mutating func read(
        _ bytes: [UInt8],
        name: String,
        below servers: [String]
    ) -> (rules: [RuleSettings], range: Range<Int>) {
        var source = SettingSource(name: name, bytes: bytes)
        let first = included.count
        var all: [RuleSettings] = []
        for member in parse(bytes, of: &source) {
            guard member.key == "rule" else {
                let message =
                    "an included file holds [[rule]]s and nothing else; `\(member.key)` belongs in the settings file"
                mistakes.add(source.error(message, at: member.keyPosition))
                continue
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
                add(error, for: "rule", from: source)
                continue
            }
            for _ in servers { includedLocations.append((member, source)) }
        }
        return (all, first..<included.count)
    }

    /// The presets that `rules` names.
    var presetSettings: [PresetSetting] { settings.presets }

    /// Adds a mistake about a setting.
    mutating func addMistake(about path: String, _ message: String) { mistakes.add(locations.error(at: path, message)) }

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

    /// Adds a mistake about the file that an `[[include]]` names.
    mutating func addMistake(including index: Int, _ message: String) {
        mistakes.add(locations.error(at: "include[\(index)].file", message))
    }

    /// Adds a mistake that is in no setting.
    mutating func add(_ mistake: SettingsError) {
        begin(mistake.source)
        mistakes.add(mistake)
    }

    /// Finds how large a share of the disk is.
    ///
    /// - Parameter directory: returns the store's directory; nil if there is no store on disk.
    mutating func resolveShares(_ directory: (DaemonSettings) -> String?) {
        guard let percent = settings.storage.limit.percent, let path = directory(settings) else { return }
        do throws(SystemError) {
            let size = ByteCount(bytes: try FileSystem.size(at: path) / 100 * percent)
            guard size < StorageLimit.range.lowerBound else { return settings.storage.limit.size = size }
            let message =
                "`storage.limit` is \(percent)% of the disk of \(path), which is \(size); at least "
                + "\(StorageLimit.range.lowerBound) are needed"
            mistakes.add(locations.error(at: "storage.limit", message))
        } catch {
            let message = "`storage.limit` needs the size of the disk of \(path): \(error.reason)"
            mistakes.add(locations.error(at: "storage.limit", message))
        }
    }

    private mutating func add(_ fault: SettingFault, for path: String, from source: SettingSource) {
        faulty.insert(path)
        for one in fault.all where !one.isAbsence || !broken.contains(source.name) {
            mistakes.add(source.error(one, for: path))
        }
    }

    /// Reads `a.b=value` of `--set`: a TOML key, and TOML or a bare word.
    public mutating func set(_ text: String) {
        var source = SettingSource(option: "--set", argument: text)
        begin(source.name)
        do throws(TOMLError) {
            let assignment = try CommandLineAssignment(text)
            let isText = Self.isText(assignment.path.map(\.key))
            let value = try CommandLineValue.node(assignment.value, isText: isText, column: assignment.column)
            read(source.expand([assignment.member(value)], variables), section: "", from: source)
        } catch {
            mistakes.add(source.syntaxError(error))
        }
    }

    /// Reads the arguments of an option that sets a setting, such as those of all `--listen`.
    public mutating func set(_ name: String, to arguments: [String], option: String) {
        let source = SettingSource(option: option, argument: nil)
        begin(option)
        guard let key = SettingKey.byName[name] else {
            return mistakes.add(source.error("there is no setting `\(name)`", at: nil))
        }
        var nodes: [TOMLNode] = []
        do throws(TOMLError) {
            for argument in arguments {
                nodes.append(try CommandLineValue.node(argument, isText: key.isText, column: 1))
            }
        } catch {
            return mistakes.add(source.error("`\(name)`: \(error.message)", at: error.position))
        }
        let position = TextPosition(line: 1, column: 1)
        let node = nodes.count == 1 ? nodes[0] : TOMLNode(value: .array(nodes), position: position)
        assign(node.expanding(variables), to: key, at: position, from: source)
    }

    /// Checks settings against each other, and returns them all; throws all mistakes as one error.
    public func finish() throws(SettingsError) -> LoadedSettings {
        let reading = result()
        try reading.mistakes.check(reading.settings.sources)
        return reading.settings
    }

    /// The settings as far as they could be read, checked against each other, with all mistakes.
    public func result() -> SettingsReading {
        var mistakes = mistakes
        var loaded = LoadedSettings(values: settings, locations: locations, file: file)
        loaded.sources = sources
        loaded.presets = presets
        if !included.isEmpty {
            loaded.values.rules = included + settings.rules
            var count = 0
            for (member, source) in includedLocations + ownRules {
                loaded.locations.record(member, as: "rule", from: source, behind: count)
                if case .array(let rules) = member.node.value { count += rules.count }
            }
        }
        loaded.values.services = finishedServices(&mistakes)
        // What contradicts something may be contradicted by a line that is not TOML.
        if broken.isEmpty {
            SettingsRules(locations: loaded.locations, faulty: faulty).check(&loaded.values, &mistakes)
        }
        loaded.warnings = loaded.inOrder(
            warnings + SecretWarnings(settings: loaded.values, locations: loaded.locations).all
                + RuleWarnings(loaded: loaded).all(included: included.count)
        )
        return SettingsReading(settings: loaded, mistakes: mistakes, isComplete: broken.isEmpty)
    }

    // MARK: Sections and settings

    private mutating func read(
        _ members: [TOMLMember],
        section: String,
        from source: SettingSource
    ) {
        for member in members {
            let name = section.isEmpty ? member.key : "\(section).\(member.key)"
            switch name {
            case "listener": readListeners(member, from: source)
            case "rule": readRules(member, from: source)
            case "warm": readWarm(member, from: source)
            case "service": readServices(member, from: source)
            case "include": readIncludes(member, from: source)
            case let name where SettingKey.sections.contains(name):
                guard case .table(let inner) = member.node.value else {
                    let message = "`\(name)` is a section, not a setting: write [\(name)], and its settings below"
                    mistakes.add(source.error(message, at: member.keyPosition))
                    continue
                }
                read(inner, section: name, from: source)
            case let name where RetiredSetting.names.contains(name):
                warnings.append(RetiredSetting.warning(name, at: member.keyPosition, in: source))
            default:
                let current = RenamedSetting.currentName(of: name)
                guard let key = SettingKey.byName[current] else {
                    mistakes.add(unknown(name, at: member.keyPosition, in: source))
                    continue
                }
                if current != name { warnings.append(RenamedSetting.warning(name, at: member.keyPosition, in: source)) }
                assign(member.node, to: key, at: member.keyPosition, from: source)
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
        let suggestion = SettingKey.nearest(to: name)
        var error = source.error("unknown setting `\(name)`" + (suggestion == nil ? Version.hint : ""), at: position)
        error.suggestion = suggestion
        return error
    }

    private mutating func assign(
        _ node: TOMLNode,
        to key: SettingKey,
        at keyPosition: TextPosition,
        from source: SettingSource
    ) {
        do throws(SettingFault) {
            try key.assign(node, &settings)
        } catch {
            add(error, for: key.name, from: source)
        }
        if key.name == "hosts", case .table(let hosts) = node.value {
            for host in hosts { note(host, as: "hosts.\(host.key.lowercased())", from: source) }
        } else {
            warnIfSetTwice(key.name, at: keyPosition, from: source)
        }
        locations[key.name] = SettingLocation(source: source, position: keyPosition)
        if key.name == "listen" { forgetListeners(at: "listener", unless: source) }
    }

    /// Records where a member of a table is set.
    private mutating func note(_ member: TOMLMember, as path: String, from source: SettingSource) {
        warnIfSetTwice(path, at: member.keyPosition, from: source)
        locations[path] = SettingLocation(source: source, position: member.keyPosition)
    }

    /// Warns if a file of `conf.d` sets what a file before it has set.
    private mutating func warnIfSetTwice(_ path: String, at position: TextPosition, from source: SettingSource) {
        guard source.isAddition, let earlier = locations[path], !earlier.source.isOption else { return }
        let place = earlier.source.location(earlier.position).summary
        let message = "`\(path)` is set at \(place), too; this later value holds"
        warnings.append(SettingsWarning(message, at: source.location(position)))
    }

    // MARK: Listeners

    /// Reads `[[listener]]`; listeners of an option replace those of the files.
    private mutating func readListeners(_ member: TOMLMember, from source: SettingSource) {
        let earlier = source.isAddition ? settings.listeners : []
        do throws(SettingFault) {
            settings.listeners = earlier + (try SettingType<[ListenerSettings]>.listeners.parse(member.node))
        } catch {
            add(error, for: "listener", from: source)
        }
        locations.record(member, as: "listener", from: source, behind: earlier.count)
        forgetListeners(at: "listen", unless: source)
        if locations["listen"] == nil { settings.listen = [] }
    }

    /// Reads `[[warm]]`; lists of an option replace those of the files.
    private mutating func readWarm(_ member: TOMLMember, from source: SettingSource) {
        let earlier = source.isAddition ? settings.warm : []
        do throws(SettingFault) {
            settings.warm = earlier + (try SettingType<[WarmSettings]>.warm.parse(member.node))
        } catch {
            add(error, for: "warm", from: source)
        }
        locations.record(member, as: "warm", from: source, behind: earlier.count)
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
    mutating func inheritListeners(_ addresses: [String]) {
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
            mistakes.add(
                locations.error(
                    at: "listener[\(index)].address",
                    "the service manager handed over no socket for \(stray.address), only \(addresses.joined(separator: ", ")): "
                        + "name it in ListenStream= of the socket unit, or take the listener away"
                )
            )
        }
        settings.listeners = kept
        settings.listen = []
        guard !usual.isEmpty else { return }
        set("listen", to: usual, option: "LISTEN_FDS")
        settings.listeners = kept
    }

    // MARK: Rules and services

    /// Reads rules; those of an option replace those of the file.
    private mutating func readRules(_ member: TOMLMember, from source: SettingSource) {
        let earlier = source.isAddition ? settings.rules : []
        var faults = FaultCollector()
        settings.rules = earlier + SettingType<[RuleSettings]>.read(member.node, &faults)
        if settings.rules.count > RuleSettings.limit {
            let sentence = "with this file there are more than \(RuleSettings.limit) rules"
            faults.add(SettingFault(sentence: sentence, position: member.keyPosition))
        }
        do throws(SettingFault) { try faults.check() } catch { add(error, for: "rule", from: source) }
        locations.record(member, as: "rule", from: source, behind: earlier.count)
        ownRules = (source.isAddition ? ownRules : []) + [(member, source)]
    }

    /// Reads includes; those of an option replace those of the file.
    private mutating func readIncludes(_ member: TOMLMember, from source: SettingSource) {
        let earlier = source.isAddition ? includes : []
        do throws(SettingFault) {
            includes = earlier + (try SettingType<[RuleInclude]>.includes.parse(member.node))
        } catch {
            add(error, for: "include", from: source)
        }
        locations.record(member, as: "include", from: source, behind: earlier.count)
    }

    private mutating func readServices(_ member: TOMLMember, from source: SettingSource) {
        guard case .table(let members) = member.node.value else {
            let message = "`service` is a table of services: write [service.NAME]"
            return mistakes.add(source.error(message, at: member.keyPosition))
        }
        for service in members { readService(service, from: source) }
    }

    /// Reads a service; an option overrides the files, setting by setting, and so does a file of `conf.d`.
    ///
    /// The rules of a file of `conf.d` are added.
    private mutating func readService(_ member: TOMLMember, from source: SettingSource) {
        if let fault = ServiceName.fault(member) { return add(fault, for: "service", from: source) }
        let path = "service.\(member.key)"
        let earlier = source.isAddition ? services[member.key]?.rules ?? [] : []
        do throws(SettingFault) {
            try ServiceDraft.reader(for: member.key).read(
                member.node,
                into: &services[member.key, default: ServiceDraft()]
            )
        } catch {
            add(error, for: path, from: source)
        }
        if locations[path] == nil { locations[path] = SettingLocation(source: source, position: member.keyPosition) }
        guard case .table(let inner) = member.node.value else { return }
        for setting in inner {
            let name = "\(path).\(setting.key)"
            switch (setting.key, setting.node.value) {
            case ("rule", _):
                services[member.key]?.rules.insert(contentsOf: earlier, at: 0)
                locations.record(setting, as: name, from: source, behind: earlier.count)
            case ("headers", .table(let fields)):
                for field in fields { warnIfSetTwice("\(name).\(field.key)", at: field.keyPosition, from: source) }
                locations.record(setting, as: name, from: source, isAddition: source.isAddition)
            default:
                warnIfSetTwice(name, at: setting.keyPosition, from: source)
                locations.record(setting, as: name, from: source)
            }
        }
    }

    private func finishedServices(_ mistakes: inout SettingsMistakes) -> [ServiceSettings] {
        var finished: [ServiceSettings] = []
        for (name, draft) in services.sorted(by: { $0.key < $1.key }) {
            let path = "service.\(name)"
            if let service = draft.settings(name: name) {
                finished.append(service)
            } else if !faulty.contains(path), broken.isEmpty {
                mistakes.add(locations.error(at: path, "`\(path)` needs `base`, the URL it stands for"))
            }
        }
        return finished
    }
}

/// What could be read of settings, and all mistakes.
public struct SettingsReading: Sendable {
    /// Without the settings that have mistakes.
    public let settings: LoadedSettings
    public let mistakes: SettingsMistakes
    /// Whether all text was TOML, so that no setting is missing.
    public let isComplete: Bool
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
        let tables = Array(sections) + ["rule", "service", "include", "listener", "warm"]
        if let found = NearestName.find(local, in: siblings + (section.isEmpty ? tables : [])) {
            return section.isEmpty ? found : "\(section).\(found)"
        }
        if let elsewhere = all.first(where: { $0.localName == local }) { return elsewhere.name }
        return NearestName.find(name, in: all.map(\.name) + tables)
    }
}
