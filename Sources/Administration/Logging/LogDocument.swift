import Exchanges
import Formats
import JSON
import Observability
import ResourceCore
import Settings

/// `/v1/log`: the core's log categories that are enabled (S-229).
struct LogDocument {
    let enabled: LogWords.Categories

    init(_ enabled: LogWords.Categories) { self.enabled = enabled }

    /// Reads `{"enabled": ["common", "cache"]}`.
    init(json root: JSONCursor) throws(JSONError) {
        try root.requireObject(members: ["enabled"])
        var result: LogWords.Categories = []
        for element in try root.requiredMember("enabled").elements() {
            guard let named = LogWords.categories([try element.text()]) else {
                throw element.error("must be one of \(LogWords.all.joined(separator: ", "))")
            }
            result.formUnion(named)
        }
        enabled = result
    }

    func write(to writer: inout JSONWriter) {
        Self.write(enabled, as: "enabled", to: &writer)
        Self.write(RespiteLog.Category.all, as: "categories", to: &writer)
        writer.memberObject("presets") { writer in
            for preset in LogWords.presets { Self.write(preset.categories, as: preset.name, to: &writer) }
        }
    }

    /// In the order of their declaration.
    private static func write(_ categories: LogWords.Categories, as name: String, to writer: inout JSONWriter) {
        writer.memberArray(name) { writer in
            for category in RespiteLog.Category.allCases where categories.contains(category) {
                writer.text("\(category)")
            }
        }
    }
}
