import Formats
import HTTPCaching
import HTTPCore
import Observability

/// `/v1/requests.har`: recent requests as an HTTP Archive 1.2, the oldest first.
///
/// Names that begin with `_` are our own, as the format has it. Fields are not recorded, so only Cache-Status is there.
struct HARDocument {
    private let documents: [RequestDocument]
    private let version: String

    init(_ recent: RecentRecords, _ filter: RequestFilter, masking secrets: SecretParameters, version: String) {
        documents = recent.records.map { RequestDocument($0, masking: secrets) }.filter(filter.matches)
        self.version = version
    }

    func write(to writer: inout JSONWriter) {
        writer.memberObject("log") { writer in
            writer.member("version", "1.2")
            writer.memberObject("creator") { writer in
                writer.member("name", "respite")
                writer.member("version", version)
            }
            writer.memberArray("entries") { writer in
                for document in documents { writer.object { Self.write(document, to: &$0) } }
            }
        }
    }

    private static func write(_ document: RequestDocument, to writer: inout JSONWriter) {
        let record = document.record
        writer.member("startedDateTime", record.timeText)
        writer.member("time", milliseconds(record.duration))
        writer.memberObject("request") { writeRequest(document, to: &$0) }
        writer.memberObject("response") { writeResponse(record, to: &$0) }
        writer.memberObject("cache") { _ in }
        writer.memberObject("timings") { writer in
            let head = min(record.headDuration ?? record.duration, record.duration)
            let times = record.upstream
            // In this format the time to connect has that of TLS in it.
            let connect = times.connect.map { $0 + (times.handshake ?? 0) }
            let before = (times.queue ?? 0) + (times.name ?? 0) + (connect ?? 0)
            let parts = [
                ("blocked", times.queue), ("dns", times.name), ("connect", connect), ("ssl", times.handshake),
                ("send", 0), ("wait", head - before), ("receive", record.duration - head),
            ]
            for (name, time) in parts { if let time { writer.member(name, milliseconds(time)) } }
        }
        writer.member("_id", record.id.text)
        if let client = record.client { writer.member("_client", "\(client)") }
        if let user = record.user { writer.member("_user", user) }
        writer.member("_cache", record.outcome)
        if let reason = record.reason { writer.member("_reason", reason) }
        if let rule = record.rule { writer.member("_rule", rule) }
        if let route = record.route { writer.member("_route", route) }
        if let service = record.service { writer.member("_service", service) }
        writer.member("_isComplete", record.isComplete)
    }

    private static func writeRequest(_ document: RequestDocument, to writer: inout JSONWriter) {
        writer.member("method", bytes: document.record.method.bytes)
        writer.member("url", bytes: document.target)
        writeMessage(fields: [], bodySize: document.record.requestBytes, to: &writer)
        writer.memberArray("queryString") { writer in
            for pair in query(document.target) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                writer.object { writer in
                    writer.member("name", bytes: Array(parts[0]))
                    writer.member("value", bytes: parts.count > 1 ? Array(parts[1]) : [])
                }
            }
        }
    }

    private static func query(_ target: [UInt8]) -> [ArraySlice<UInt8>] {
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return target[(mark + 1)...].split(separator: UInt8(ascii: "&"))
    }

    private static func writeResponse(_ record: RequestRecord, to writer: inout JSONWriter) {
        writer.member("status", Int(record.status))
        writer.member("statusText", "")
        let fields = record.cacheStatus.map { [("Cache-Status", $0.text)] } ?? []
        writeMessage(fields: fields, bodySize: record.contentBytes, to: &writer)
        writer.memberObject("content") { writer in
            writer.member("size", record.contentBytes)
            writer.member("mimeType", "")
        }
        writer.member("redirectURL", "")
    }

    /// What requests and responses have; the format wants each member, also where nothing is known.
    private static func writeMessage(fields: [(String, String)], bodySize: Int64, to writer: inout JSONWriter) {
        writer.member("httpVersion", "HTTP/1.1")
        writer.memberArray("cookies") { _ in }
        writer.memberArray("headers") { writer in
            for (name, value) in fields {
                writer.object { writer in
                    writer.member("name", name)
                    writer.member("value", value)
                }
            }
        }
        writer.member("headersSize", -1)
        writer.member("bodySize", bodySize)
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(max(0, nanoseconds) / 1000) / 1000 }
}
