/// Something about valid settings that their author should know: they may do harm, or have no effect.
public struct SettingsWarning: Sendable, Equatable {
    /// Where the setting is set; nil if no single place is the cause.
    public var place: SettingsPlace?
    /// A sentence that names the setting, what it does and the remedy.
    public var message: String

    public init(_ message: String, at place: SettingsPlace? = nil) {
        self.message = message
        self.place = place
    }

    /// `FILE:LINE:COLUMN: sentence`, in one line.
    public var summary: String { place.map { "\($0.summary): \(message)" } ?? message }
}

extension SettingsWarning: CustomStringConvertible {
    /// The summary, then the line and a caret below its column.
    public var description: String { summary + (place?.excerpt ?? "") }
}

extension LoadedSettings {
    /// Makes a warning about the setting at a path, such as `rule[0].ttl`, or the setting that contains it.
    public func warning(at path: String, _ message: String) -> SettingsWarning {
        SettingsWarning(message, at: locations.nearest(path).map { $0.source.location($0.position) })
    }

    /// Sorts warnings by place: files in the order in which they were read, then lines; those without a place come
    /// last.
    public func inOrder(_ warnings: [SettingsWarning]) -> [SettingsWarning] {
        let placed = warnings.filter { $0.place != nil }.sorted { one, other in
            guard let first = one.place, let second = other.place else { return false }
            return first.precedes(second, in: sources)
        }
        return placed + warnings.filter { $0.place == nil }
    }
}
