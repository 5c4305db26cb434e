import Administration
import Settings

/// The daemon that runs already; its figures are those of all its clients.
struct SharedDaemon: RunningDaemon {
    let endpoint: ProxyEndpoint
    private let client: AdminClient

    /// Nil if none answers.
    init?(_ command: ParsedCommand) throws(CommandFailure) {
        client = try AdminClient(command)
        switch Self.status(client) {
        case .success(let status):
            endpoint = try ProxyEndpoint(listeners: (status["listeners"]?.elements ?? []).compactMap(\.text))
        // There is one, of which the settings alone tell where it listens.
        case .failure(let failure) where failure.isRefusedToken:
            endpoint = try ProxyEndpoint.find(command)
        case .failure: return nil
        }
    }

    func figures() -> Result<TrafficFigures, CommandFailure> {
        Self.status(client).map { TrafficFigures($0["traffic"]) }
    }

    func finish() -> Result<TrafficFigures, CommandFailure> { figures() }

    private static func status(_ client: AdminClient) -> Result<JSONValue, CommandFailure> {
        do throws(CommandFailure) {
            return .success(try client.get("/v1/status").json())
        } catch {
            return .failure(error)
        }
    }
}

extension TrafficFigures {
    /// What `/v1/status` tells.
    fileprivate init(_ document: JSONValue?) {
        self.init()
        func number(_ name: String) -> Int { document?[name]?.integer.map { Int(clamping: $0) } ?? 0 }
        hits = number("hits")
        loads = number("loads")
        passes = number("passes")
        failures = number("failures")
        refused = number("refused")
        tunnels = number("tunnels")
        cachedOctets = number("bytesFromCache")
        originOctets = number("bytesFromOrigins")
    }
}
