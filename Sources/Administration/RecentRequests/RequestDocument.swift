import Explaining
import Formats
import HTTPCaching
import HTTPCore
import Observability

/// One recent request as JSON, with masked secrets (H-158).
struct RequestDocument {
    let record: RequestRecord
    /// The masked target.
    let target: [UInt8]

    init(_ record: RequestRecord, masking secrets: SecretParameters) {
        self.record = record
        var target = secrets.redacted(record.target)
        if record.isCut { target += Array("…".utf8) }
        self.target = target
    }

    func write(to writer: inout JSONWriter) {
        writer.member("id", record.id.text)
        writer.member("time", record.timeText)
        if let client = record.client { writer.member("client", "\(client)") }
        if let user = record.user { writer.member("user", user) }
        writer.member("method", bytes: record.method.bytes)
        writer.member("url", bytes: target)
        writer.member("status", Int(record.status))
        writer.member("cache", record.outcome)
        if let status = record.cacheStatus { writer.member("cacheStatus", status.text) }
        if let reason = record.reason { writer.member("reason", reason) }
        if let rule = record.rule { writer.member("rule", rule) }
        if let route = record.route { writer.member("route", route) }
        if let service = record.service { writer.member("service", service) }
        writer.member("requestBytes", record.requestBytes)
        writer.member("bytes", record.contentBytes)
        writer.member("durationMicroseconds", record.duration / 1000)
        if let duration = record.headDuration { writer.member("headMicroseconds", duration / 1000) }
        for (part, time) in upstreamParts { writer.member("\(part)Microseconds", time / 1000) }
        writer.member("isComplete", record.isComplete)
    }

    /// The parts of the request to the origin, with their nanoseconds.
    private var upstreamParts: [(name: String, time: Int64)] {
        let times = record.upstream
        let parts = [
            ("queue", times.queue), ("name", times.name), ("connect", times.connect), ("handshake", times.handshake),
            ("firstByte", times.firstByte),
        ]
        return parts.compactMap { name, time in time.map { (name, $0) } }
    }

    /// Writes it with the reasons in words.
    func writeExplained(to writer: inout JSONWriter) {
        write(to: &writer)
        let notes = RecordedOutcome(record.cacheStatus, rule: record.rule).notes
        writer.memberArray("reasons") { writer in Explanation.write(notes, to: &writer) }
        writer.memberArray("text") { writer in for line in text(notes) { writer.text(line) } }
    }

    /// Lines for a person.
    private func text(_ notes: [DecisionNote]) -> [String] {
        let url = String(decoding: target, as: UTF8.self)
        var lines = ["\(record.method.text) \(url)", "answered: \(record.timeText), to \(client)"]
        let status = record.cacheStatus.map { " (Cache-Status: \($0.text))" } ?? ""
        lines.append("outcome: \(record.outcome), status \(record.status)\(status)")
        if let route = record.route { lines.append("route: \(route)\(record.service.map { ", service \($0)" } ?? "")") }
        if let rule = record.rule { lines.append("rule: \(rule)") }
        lines.append("time: \(Self.milliseconds(record.duration)), \(headTime)")
        let parts = upstreamParts.map { "\(Self.words[$0.name] ?? $0.name) \(Self.milliseconds($0.time))" }
        if !parts.isEmpty { lines.append("origin: \(parts.joined(separator: ", "))") }
        lines.append("content: \(record.contentBytes) bytes sent, \(record.requestBytes) received")
        if !record.isComplete { lines.append("the response was cut: the client or the origin ended it early") }
        if let reason = record.reason, !notes.contains(where: { $0.word == reason }) {
            lines.append("reason: \(reason)")
        }
        return lines + notes.flatMap(\.lines)
    }

    private var client: String { (record.client.map { "\($0)" } ?? "unix") + (record.user.map { " (\($0))" } ?? "") }

    /// The parts of a request to an origin, for a person.
    private static let words = [
        "queue": "waited for a connection", "name": "look-up of the name", "handshake": "TLS",
        "firstByte": "first byte",
    ]

    private var headTime: String {
        guard record.status != 0 else { return "no response was sent" }
        guard let duration = record.headDuration else { return "head and content at once" }
        return "head of the response after \(Self.milliseconds(duration))"
    }

    /// With three decimals.
    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let microseconds = max(0, nanoseconds / 1000)
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) ms"
    }
}
