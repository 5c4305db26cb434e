import Configurations
import HTTPCore
import Proxying
import Settings

/// What `set-field` and `remove-field` of one rule change.
struct MessageEdits: Sendable {
    private let request: FieldEdits
    private let response: FieldEdits

    var isEmpty: Bool { request.isEmpty && response.isEmpty }

    init(_ located: LocatedRule, _ loaded: LoadedSettings) throws(SettingsError) {
        let (set, remove) = (located.settings.setField, located.settings.removeField)
        func edits(
            _ set: [FieldSetting]?,
            _ remove: [String]?,
            _ target: FieldEdits.Target
        ) throws(SettingsError) -> FieldEdits {
            // Each setting by itself first, so that the message names the one at fault.
            let lines = (set ?? []).map { FieldEdits.Line(name: $0.name, value: $0.value) }
            var key = "set-field"
            do throws(FieldEditError) {
                _ = try FieldEdits(set: lines, of: target)
                key = "remove-field"
                return try FieldEdits(set: lines, remove: remove ?? [], of: target)
            } catch {
                throw loaded.error(at: "\(located.path).\(key)", "`rule.\(key)` \(error.userMessage)")
            }
        }
        let credentials = loaded.values.cache.credentialFields.map { $0.lowercased() }
        if let name = set?.request.map(\.name).first(where: { credentials.contains($0.lowercased()) }) {
            throw loaded.error(
                at: "\(located.path).set-field",
                "`rule.set-field` cannot set \(name), which `cache.credential-fields` lists: a [[service]] can, from a file"
            )
        }
        request = try edits(set?.request, remove?.request, .request)
        response = try edits(set?.response, remove?.response, .response)
    }

    /// Adds the changes after those of earlier rules.
    func add(to values: inout Configuration) {
        if !request.isEmpty { values.requestEdits.append(request) }
        if !response.isEmpty { values.traffic.responseEdits.append(response) }
        values.actsOnRequests = true
    }
}
