import Eventing
import HTTPCore
import HTTPServer
import Observability
import ResourceCore
import Settings

/// What of the core's work is logged: told by GET, replaced by PUT of `{"enabled": ["common", "cache"]}` (S-229).
final class LogRequest: ServerExchangeDelegate {
    private let source: LogSource
    private let depth: Int
    private var content: ReceivedContent

    private init(_ source: LogSource, depth: Int, _ content: ReceivedContent) {
        self.source = source
        self.depth = depth
        self.content = content
    }

    static func answer(_ exchange: ServerExchange, _ source: LogSource, limit: Int, depth: Int) throws(AdminRefusal) {
        guard exchange.head.method == .put else { return reply(exchange, source) }
        let type = exchange.head.fields.value(of: .contentType).flatMap { MediaType($0) }
        guard type?.essence == Array("application/json".utf8), exchange.head.fields.count(of: .contentType) == 1 else {
            throw AdminRefusal(415, "the content must be application/json")
        }
        let content = try ReceivedContent(of: exchange, limit: limit)
        exchange.delegate = LogRequest(source, depth: depth, content)
        exchange.requestContent(limit + 1)
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        if let refusal = content.append(chunk) { exchange.reply(refusal) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        guard exchange.status == nil else { return }
        do throws(AdminRefusal) {
            source.enable(try categories())
            Self.reply(exchange, source)
        } catch {
            exchange.reply(error)
        }
    }

    private func categories() throws(AdminRefusal) -> LogWords.Categories {
        do throws(JSONError) {
            let root = JSONCursor(
                try JSONReader.parse(content.octets, sizeLimit: content.limit, depthLimit: depth)
            )
            try root.requireObject(members: ["enabled"])
            var result: LogWords.Categories = []
            for element in try root.requiredMember("enabled").elements() {
                guard let named = LogWords.categories([try element.text()]) else {
                    throw element.error("must be one of \(LogWords.all.joined(separator: ", "))")
                }
                result.formUnion(named)
            }
            return result
        } catch {
            throw AdminRefusal(400, "the content is wrong at \(error)", path: error.path)
        }
    }

    private static func reply(_ exchange: ServerExchange, _ source: LogSource) {
        let enabled = source.enabled()
        exchange.reply { writer in
            write(enabled, as: "enabled", to: &writer)
            write(RespiteLog.Category.all, as: "categories", to: &writer)
            writer.memberObject("presets") { writer in
                for preset in LogWords.presets { write(preset.categories, as: preset.name, to: &writer) }
            }
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
