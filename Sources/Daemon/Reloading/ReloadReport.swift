import Administration
import Formats
import HTTPCore
import Settings

/// The changes of a reload.
struct ReloadReport: Sendable {
    let changes: [SettingChange]
    /// Warnings about the new settings.
    var warnings: [String] = []

    /// Names of changed settings: `inForce` now, and `afterRestart`.
    var inForce: [String] { changes.filter { !$0.needsRestart }.map(\.name) }
    var afterRestart: [String] { changes.filter(\.needsRestart).map(\.name) }

    /// Whether a changed setting may concern connections to origins.
    var concernsOrigins: Bool {
        inForce.contains { name in
            name == "hosts" || ["dns.", "limits.", "upstream.", "access.", "tls."].contains { name.hasPrefix($0) }
        }
    }

    /// Writes the members `changed`, `needsRestart` and `warnings`.
    func write(to writer: inout JSONWriter) {
        writer.name("changed")
        Self.write(changes.filter { !$0.needsRestart }, to: &writer)
        writer.name("needsRestart")
        Self.write(changes.filter(\.needsRestart), to: &writer)
        writer.memberArray("warnings") { writer in for warning in warnings { writer.text(warning) } }
    }

    private static func write(_ changes: [SettingChange], to writer: inout JSONWriter) {
        writer.array { writer in
            for change in changes {
                writer.object { writer in
                    writer.member("name", change.name)
                    if let old = change.old { writer.member("old", old) }
                    if let new = change.new { writer.member("new", new) }
                }
            }
        }
    }
}

extension ReloadResponse {
    /// The admin API's response to a reload.
    init(_ outcome: Reloader.Outcome) {
        switch outcome {
        case .success(let report): self = .done { report.write(to: &$0) }
        case .failure(let error):
            var members = [ProblemDocument.Member("source", error.source)]
            if let line = error.line { members.append(.init("line", "\(line)")) }
            if let column = error.column { members.append(.init("column", "\(column)")) }
            if let text = error.lineText { members.append(.init("text", text)) }
            if let suggestion = error.suggestion { members.append(.init("suggestion", suggestion)) }
            members.append(.init("description", error.description))
            self = .refused(detail: "\(error.summary); the old settings stay in force", members: members)
        }
    }
}
