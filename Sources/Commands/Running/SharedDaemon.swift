import CommandSyntax
import JSON
import Settings

/// A daemon that was running before the command.
///
/// Other clients use it, too, so its counts are those of all clients.
struct SharedDaemon: RunningDaemon {
    let endpoint: ProxyEndpoint
    /// A note for the user about it.
    let note: String?
    /// The client of its admin API, or why it cannot be used.
    private let client: Result<AdminClient, CommandFailure>

    /// Returns nil if no running daemon can be used.
    ///
    /// - Parameters:
    ///   - presets: the rules that the command needs; a daemon without them is not used.
    ///   - report: called with the reason if a daemon answers but is not used.
    init?(
        _ command: ParsedCommand,
        presets: [PresetSetting],
        report: (String) -> Void
    ) throws(CommandFailure) {
        switch try DaemonSearch(command) {
        case .found(let client, let status):
            guard status["forwardListeners"]?.elements.isEmpty == false else {
                report("the daemon at \(client.address) is only a reverse proxy; starting another one for this command")
                return nil
            }
            let inForce = Set((status["rules"]?.elements ?? []).compactMap(\.text))
            let missing = presets.filter { !inForce.contains($0.text) }.map(\.preset.rawValue)
            guard missing.isEmpty else {
                let names = Set(missing).sorted()
                report(
                    "the daemon at \(client.address) has no rules for the index of \(names.joined(separator: ", ")); starting "
                        + "another one for this command. rules = [\(names.map { "\"\($0)\"" }.joined(separator: ", "))] in its "
                        + "settings makes them share one cache"
                )
                return nil
            }
            endpoint = try ProxyEndpoint(status: status)
            note = nil
            self.client = .success(client)
        case .unknown(let failure, _) where !presets.isEmpty:
            report("\(failure.userMessage); starting another one with rules for this command")
            return nil
        case .unknown(let failure, let endpoint):
            self.endpoint = endpoint
            note = "using \(endpoint.url), as the settings say"
            client = .failure(failure)
        case .none(let reason):
            if let reason { report("\(reason); starting another one for this command") }
            return nil
        }
    }

    func traffic() -> Result<TrafficCounts, CommandFailure> {
        client.flatMap { Self.status($0) }.map { TrafficCounts($0["traffic"]) }
    }

    func finish() -> Result<TrafficCounts, CommandFailure> { traffic() }

    private static func status(_ client: AdminClient) -> Result<JSONValue, CommandFailure> {
        do throws(CommandFailure) {
            return .success(try client.get("/v1/status").json())
        } catch {
            return .failure(error)
        }
    }
}

extension TrafficCounts {
    /// Reads the member `traffic` of `/v1/status`.
    fileprivate init(_ document: JSONValue?) {
        func number(_ name: String) -> Int { document?[name]?.integer.map { Int(clamping: $0) } ?? 0 }
        self.init(
            requests: number("requests"),
            hits: number("hits"),
            tunnels: number("tunnels"),
            cachedBytes: number("bytesFromCache")
        )
    }
}
