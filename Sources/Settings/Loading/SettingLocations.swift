import TOML

/// Where settings are set, by path: `limits.ranges`, `rule[0].ttl`, `service.x.base`.
///
/// Settings without an entry have their defaults.
struct SettingLocations: Sendable {
    private var locations: [String: SettingLocation] = [:]

    subscript(path: String) -> SettingLocation? {
        get { locations[path] }
        set { locations[path] = newValue }
    }

    var origins: [String: SettingOrigin] { locations.mapValues(\.origin) }

    /// Where a setting is set, or else the nearest setting that contains it.
    func nearest(_ path: String) -> SettingLocation? {
        var rest = path[...]
        while true {
            if let location = locations[String(rest)] { return location }
            guard let cut = rest.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            rest = rest[..<cut]
        }
    }

    /// Replaces the entries at and below `path` by those of `member`.
    ///
    /// - Parameters:
    ///   - count: the number of earlier list elements, which are kept.
    ///   - isAddition: whether all earlier entries are kept unless `member` has them, too.
    mutating func record(
        _ member: TOMLMember,
        as path: String,
        from source: SettingSource,
        behind count: Int = 0,
        isAddition: Bool = false
    ) {
        for known in locations.keys
        where count == 0 && !isAddition && (known.hasPrefix(path + ".") || known.hasPrefix(path + "[")) {
            locations[known] = nil
        }
        locations[path] = SettingLocation(source: source, position: member.keyPosition)
        record(member.node, as: path, from: source, behind: count)
    }

    private mutating func record(_ node: TOMLNode, as path: String, from source: SettingSource, behind count: Int = 0) {
        switch node.value {
        case .array(let elements):
            for (index, element) in zip(count..., elements) {
                let inner = "\(path)[\(index)]"
                locations[inner] = SettingLocation(source: source, position: element.position)
                record(element, as: inner, from: source)
            }
        case .table(let members):
            for member in members {
                let inner = "\(path).\(member.key)"
                locations[inner] = SettingLocation(source: source, position: member.keyPosition)
                record(member.node, as: inner, from: source)
            }
        default: break
        }
    }

    /// Removes the entries at and below `path`.
    mutating func forget(_ path: String) {
        locations = locations.filter { known, _ in
            known != path && !known.hasPrefix(path + ".") && !known.hasPrefix(path + "[")
        }
    }

    func error(at path: String, _ message: String) -> SettingsError {
        guard let location = nearest(path) else { return SettingsError(source: "settings", userMessage: message) }
        return location.source.error(message, at: location.position)
    }
}
