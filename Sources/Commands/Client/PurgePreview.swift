import Formats
import HTTPCore
import Settings
import Terminal

/// `respite purge --dry-run`: lists what would be purged.
struct PurgePreview {
    /// What one URL or pattern would purge.
    struct Part {
        let target: String
        private(set) var uris: [String] = []
        /// The number of resources, if not all are in `uris`.
        private(set) var count: Int64?
        /// The totals, or of a tag the number of resources.
        private(set) var text = ""
        private var totals = ListTotals()

        init(_ client: AdminClient, _ target: String) throws(CommandFailure) {
            self.target = target
            defer { text = totals.text }
            guard URLGlob.isPattern(target) else {
                try addOne(client, try TargetURI(operand: target))
                return
            }
            try client.forEachPage(filter: target) { page in
                // One that has no more than an error has no status.
                for resource in page where resource["status"] != nil {
                    totals.add(resource)
                    uris.append(resource["uri"]?.text ?? "-")
                }
            }
        }

        private mutating func addOne(_ client: AdminClient, _ uri: TargetURI) throws(CommandFailure) {
            do throws(CommandFailure) {
                let resource = try client.get("/v1/resources?uri=\(QueryText.escaped(uri.bytes))").json()
                let variants = resource["variants"]?.elements ?? []
                guard !variants.isEmpty else { return }
                totals.add(resource)
                uris.append(resource["uri"]?.text ?? "-")
            } catch {
                // Not found: nothing would be purged.
                guard error.exitCode == 3 else { throw error }
            }
        }

        /// What a tag would purge; only the first URIs.
        init(_ client: AdminClient, tag: String) throws(CommandFailure) {
            target = tag
            let preview = try client.post("/v1/purge", json: ChangeCommand.content(tag: tag, isDryRun: true)).json()
            uris = (preview["first"]?.elements ?? []).compactMap(\.text)
            count = preview["resources"]?.integer
            text = count == 1 ? "1 resource" : "\(count ?? 0) resources"
        }
    }

    private let parts: [Part]
    private let isJSON: Bool

    init(_ client: AdminClient, _ targets: [String], areTags: Bool, isJSON: Bool) throws(CommandFailure) {
        parts = try targets.map { target throws(CommandFailure) in
            areTags ? try Part(client, tag: target) : try Part(client, target)
        }
        self.isJSON = isJSON
    }

    func run() throws(CommandFailure) {
        if isJSON {
            Console.write(json)
        } else {
            for part in parts {
                Console.write(part.uris.map { Console.printable($0) + "\n" }.joined())
                Console.complain("respite: \(Console.printable(part.target)) would purge \(part.text)")
            }
        }
        if let missing = parts.first(where: { $0.uris.isEmpty }) {
            throw CommandFailure("nothing is stored for \(Console.printable(missing.target))", exitCode: 3)
        }
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for part in parts {
                writer.object { writer in
                    writer.member(part.count == nil ? "target" : "tag", part.target)
                    if let count = part.count { writer.member("resources", count) }
                    writer.memberArray("wouldPurge") { writer in for uri in part.uris { writer.text(uri) } }
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
