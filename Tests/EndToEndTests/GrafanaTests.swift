import JSON
import Settings
import Testing
import TestSupport

/// The dashboard for Grafana, etc/grafana/respite.json.
struct GrafanaTests {
    private static func dashboard() throws -> String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        return String(decoding: try readFile("\(root)/etc/grafana/respite.json"), as: UTF8.self)
    }

    /// What is asked of Prometheus.
    private static func queries(_ dashboard: String) throws -> [String] {
        let panels = try JSONReader.parse(Array(dashboard.utf8))["panels"]?.elements ?? []
        return panels.flatMap { $0["targets"]?.elements ?? [] }.compactMap { target in
            if case .text(let query)? = target["expr"] { query } else { nil }
        }
    }

    @Test("each metric and label that the dashboard asks for is one of the daemon's")
    func metrics() throws {
        let queries = try Self.queries(try Self.dashboard())
        #expect(queries.count > 40)
        let text = try DaemonProcess().admin("GET", "/metrics").text
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for query in queries {
            let names = query.matches(of: #/respite_[a-z_]+/#).map { String($0.output) }
            #expect(!names.isEmpty, "\(query)")
            for name in names {
                let found = samples.filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
                #expect(!found.isEmpty, "\(name)")
                for label in query.matches(of: #/(result|source|outcome|class)=~?"([^"]+)"/#) {
                    for value in label.output.2.split(separator: "|") {
                        #expect(found.contains { $0.contains("\(label.output.1)=\"\(value)\"") }, "\(query)")
                    }
                }
            }
        }
    }
}
