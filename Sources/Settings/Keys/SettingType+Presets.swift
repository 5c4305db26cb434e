import CommandSyntax
import TOML

extension SettingType where Value == [PresetSetting] {
    /// A list of presets; one text may name several, with commas.
    static var presets: SettingType {
        let lists = SettingType<[[PresetSetting]]>.list(of: commaList)
        return SettingType(
            name: commaList.name,
            isText: true,
            parse: { (node) throws(SettingFault) -> [PresetSetting] in
                try lists.parse(node).joined().reduce(into: []) { presets, preset in
                    if !presets.contains(preset) { presets.append(preset) }
                }
            },
            format: commaList.format
        )
    }

    private static var commaList: SettingType {
        SettingType(
            name: "list of presets: \(RulePreset.names)",
            isText: true,
            parse: { (node) throws(SettingFault) -> [PresetSetting] in
                guard case .text(let text) = node.value else {
                    if case .table = node.value {
                        throw SettingFault(
                            message: "is a list of names (\(RulePreset.names)); a rule of your own is a [[rule]]",
                            position: node.position
                        )
                    }
                    throw SettingFault("a list of names such as \"pip\"", insteadOf: node)
                }
                var presets: [PresetSetting] = []
                for part in text.split(separator: ",") { presets.append(try PresetSetting(part, at: node.position)) }
                return presets
            },
            format: { "[" + $0.map { TOMLText.quoted($0.text) }.joined(separator: ", ") + "]" }
        )
    }
}

extension PresetSetting {
    fileprivate init(_ text: Substring, at position: TextPosition) throws(SettingFault) {
        let trimmed = text.drop { $0 == " " }
        let name = String(trimmed.prefix { $0 != "=" && $0 != " " })
        guard let preset = RulePreset(rawValue: name) else {
            // Other text may be a URL with a password: the message does not quote it.
            let isWord = name.allSatisfy { $0.isLetter || $0 == "-" }
            throw SettingFault(
                message: (isWord ? "has no rules called \"\(name.prefix(40))\"" : "names no rules")
                    + "; there are \(RulePreset.names)",
                position: position,
                suggestion: NearestName.find(name, in: RulePreset.allCases.map(\.rawValue))
            )
        }
        self.preset = preset
        let rest = trimmed.dropFirst(name.count).drop { $0 == " " }
        guard !rest.isEmpty else { return }
        guard rest.first == "=", let index = PackageIndexURL(String(rest.dropFirst().drop { $0 == " " })) else {
            throw SettingFault(
                message: "must be \"\(name)\" or \"\(name)=URL\" with the http or https URL of the index",
                position: position
            )
        }
        // The text may be a password: the message does not quote it.
        guard !index.hasUser else {
            throw SettingFault(
                message: "must name the index of \(name) without user name and password: clients send those themselves",
                position: position
            )
        }
        self.index = index.text
    }
}
