import Administration
import Settings

/// The daemon that runs already; its figures are those of all its clients.
struct SharedDaemon: RunningDaemon {
    let endpoint: ProxyEndpoint
    /// What a person should know of it.
    let note: String?
    /// Else why it does not tell its figures.
    private let client: Result<AdminClient, CommandFailure>

    /// - Parameter note: told why a daemon that answers is not used.
    /// - Returns: nil if there is none to be used.
    init?(_ command: ParsedCommand, note tell: (String) -> Void) throws(CommandFailure) {
        switch try DaemonSearch(command) {
        case .found(let client, let status):
            guard status["forwardListeners"]?.elements.isEmpty == false else {
                tell("the daemon at \(client.address) is a reverse proxy alone; a daemon of its own is used")
                return nil
            }
            endpoint = try ProxyEndpoint(status: status)
            note = nil
            self.client = .success(client)
        case .unknown(let failure, let endpoint):
            self.endpoint = endpoint
            note = "\(endpoint.url) is used, as the settings say"
            client = .failure(failure)
        case .none(let reason):
            if let reason { tell("\(reason); a daemon of its own is used") }
            return nil
        }
    }

    func statistics() -> Result<TrafficStatistics, CommandFailure> {
        client.flatMap { Self.status($0) }.map { TrafficStatistics($0["traffic"]) }
    }

    func finish() -> Result<TrafficStatistics, CommandFailure> { statistics() }

    private static func status(_ client: AdminClient) -> Result<JSONValue, CommandFailure> {
        do throws(CommandFailure) {
            return .success(try client.get("/v1/status").json())
        } catch {
            return .failure(error)
        }
    }
}

extension TrafficStatistics {
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
        cachedBytes = number("bytesFromCache")
        originBytes = number("bytesFromOrigins")
    }
}
