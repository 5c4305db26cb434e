/// Collects settings from a file and from options, each over what was there before, and checks them together.
public struct SettingsReader {
    private var settings = DaemonSettings()
    private var places: [String: SettingPlace] = [:]

    /// Begins with the defaults.
    public init() {}

    /// Reads a whole file of TOML.
    ///
    /// - Parameter name: the path, for errors and `respite config show`.
    public mutating func read(_ octets: [UInt8], name: String) throws(SettingsError) {
        let source = SettingSource(name: name, octets: octets)
        let members: [TOMLMember]
        do {
            members = try TOMLDocument.parse(octets)
        } catch {
            throw source.error(error.message, at: error.position)
        }
        try read(members, section: "", from: source)
    }

    /// Takes `a.b=value` as `--set` gives it: the value is TOML, or a bare word.
    public mutating func set(_ assignment: String) throws(SettingsError) {
        let source = SettingSource(option: "--set", argument: assignment)
        guard let equals = assignment.firstIndex(of: "=") else {
            throw source.error("write it as --set KEY=VALUE", at: nil)
        }
        let name = assignment[..<equals].trimmed
        let value = assignment[equals...].dropFirst()
        let column = assignment.unicodeScalars.distance(from: assignment.startIndex, to: value.startIndex) + 1
        let member = TOMLMember(
            key: name,
            keyPosition: TextPosition(line: 1, column: 1),
            node: TOMLNode(value: .text(""), position: TextPosition(line: 1, column: column))
        )
        let (key, rest) = try key(for: name, member: member, in: source)
        var node = CommandLineValue.node(value.trimmed, isText: key.isText, column: column)
        if let rest {
            let inner = TOMLMember(key: rest, keyPosition: member.keyPosition, node: node)
            node = TOMLNode(value: .table([inner]), position: node.position)
        }
        try assign(node, to: key, at: member.keyPosition, from: source)
    }

    /// Takes the arguments of an option that stands for a setting, such as those of all `--listen`.
    public mutating func set(_ name: String, to arguments: [String], option: String) throws(SettingsError) {
        let source = SettingSource(option: option, argument: nil)
        guard let key = SettingKey.byName[name] else { throw source.error("there is no setting `\(name)`", at: nil) }
        let nodes = arguments.map { CommandLineValue.node($0, isText: key.isText, column: 1) }
        let position = TextPosition(line: 1, column: 1)
        let node = nodes.count == 1 ? nodes[0] : TOMLNode(value: .array(nodes), position: position)
        try assign(node, to: key, at: position, from: source)
    }

    /// Checks what single settings cannot tell, and gives them all.
    public func finish() throws(SettingsError) -> LoadedSettings {
        var loaded = LoadedSettings(values: settings, origins: places.mapValues(\.origin))
        try SettingsRules(places: places).check(&loaded.values)
        return loaded
    }

    private mutating func read(
        _ members: [TOMLMember],
        section: String,
        from source: SettingSource
    ) throws(SettingsError) {
        for member in members {
            let name = section.isEmpty ? member.key : "\(section).\(member.key)"
            if SettingKey.sections.contains(name) {
                guard case .table(let inner) = member.node.value else {
                    let message = "`\(name)` is a section, not a setting: write [\(name)]"
                    throw source.error(message, at: member.keyPosition)
                }
                try read(inner, section: name, from: source)
            } else {
                let (key, _) = try key(for: name, member: member, in: source)
                try assign(member.node, to: key, at: member.keyPosition, from: source)
            }
        }
    }

    /// The setting of that name; with `hosts.NAME` the table and the name within it.
    private func key(
        for name: String,
        member: TOMLMember,
        in source: SettingSource
    ) throws(SettingsError) -> (key: SettingKey, rest: String?) {
        if let key = SettingKey.byName[name] { return (key, nil) }
        if let dot = name.firstIndex(of: "."), source.isOption, let key = SettingKey.byName[String(name[..<dot])],
            key.name == "hosts"
        {
            return (key, String(name[dot...].dropFirst()))
        }
        throw unknown(name, at: member.keyPosition, in: source)
    }

    private func unknown(_ name: String, at position: TextPosition, in source: SettingSource) -> SettingsError {
        let top = String(name.prefix { $0 != "." })
        if SettingKey.unsupportedSections.contains(top) {
            return source.error("[\(top)] is not supported by this version", at: position)
        }
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
            var detailed = source.error("`\(key.name)` \(error.message)", at: error.position)
            detailed.suggestion = error.suggestion
            throw detailed
        }
        places[key.name] = SettingPlace(source: source, position: keyPosition)
    }
}

extension SettingKey {
    /// The valid name somebody probably meant: of the same section, of another one, or the most alike.
    static func nearest(to name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let local = String(parts.last ?? "")
        let section = parts.dropLast().joined(separator: ".")
        let siblings = all.filter { $0.section == section }.map { String($0.localName) }
        if let found = NearestName.find(local, in: siblings + (section.isEmpty ? Array(sections) : [])) {
            return section.isEmpty ? found : "\(section).\(found)"
        }
        if let elsewhere = all.first(where: { $0.localName == local }) { return elsewhere.name }
        return NearestName.find(name, in: all.map(\.name) + sections)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let inner = drop { $0 == " " }
        return String(inner[..<(inner.lastIndex { $0 != " " }.map(inner.index(after:)) ?? inner.startIndex)])
    }
}
