import Eventing
import HTTPCore
import HTTPServer
import ResourceCore
import Settings

/// Reads the content of `PUT /v1/mode`, `{"mode": "offline", "service": "github"}`, and puts that in force.
final class ModeRequest: ServerExchangeDelegate {
    private let modes: ModeSource
    private let environment: CoreEnvironment
    private let depth: Int
    private var content: ReceivedContent

    private init(_ content: ReceivedContent, _ modes: ModeSource, _ environment: CoreEnvironment, depth: Int) {
        self.content = content
        self.modes = modes
        self.environment = environment
        self.depth = depth
    }

    static func receive(
        _ exchange: ServerExchange,
        _ modes: ModeSource,
        _ environment: CoreEnvironment,
        limit: Int,
        depth: Int
    ) throws(AdminRefusal) {
        try ChangeRequest.requireJSON(exchange)
        let content = try ReceivedContent(of: exchange, limit: limit)
        exchange.delegate = ModeRequest(content, modes, environment, depth: depth)
        exchange.requestContent(limit + 1)
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        if let refusal = content.append(chunk) { exchange.reply(refusal) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        guard exchange.status == nil else { return }
        do throws(AdminRefusal) {
            let (mode, service) = try wanted()
            guard modes.choose(mode, service) else {
                throw AdminRefusal(404, "there is no service of this name", path: "$.service")
            }
            let document = ModeDocument(modes, environment)
            exchange.reply { document.write(to: &$0) }
        } catch {
            exchange.reply(error)
        }
    }

    private func wanted() throws(AdminRefusal) -> (ServiceMode, String?) {
        do throws(JSONError) {
            let root = JSONCursor(try JSONReader.parse(content.octets, sizeLimit: content.limit, depthLimit: depth))
            try root.requireObject(members: ["mode", "service"])
            guard let named = root.member("mode") else { throw root.error("needs \"mode\"") }
            guard let mode = ServiceMode(rawValue: try named.text()) else {
                let names = ServiceMode.allCases.map(\.rawValue).joined(separator: ", ")
                throw named.error("must be one of \(names)")
            }
            return (mode, try root.member("service")?.text())
        } catch {
            throw AdminRefusal(400, "the content is wrong at \(error)", path: error.path)
        }
    }
}
