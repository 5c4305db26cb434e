import CommandSyntax
import Formats
import HTTPCore
import JSON
import Platform
import Settings
import Terminal

/// `respite stats [--since TIME]`: prints what clients asked for and got.
struct StatsCommand {
    private let client: AdminClient
    private let isJSON: Bool
    /// Seconds; nil: since the start.
    private let since: Int64?

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        guard let text = command.value(of: "since") else {
            since = nil
            return
        }
        guard let time = Duration(settingText: text), time >= .seconds(1) else {
            let usage = "usage: \(command.specification.usage); see `respite stats --help`"
            throw CommandFailure(
                "`--since` must be a duration with its unit such as 30s, 5m or 1h\n\(usage)",
                exitCode: 2
            )
        }
        since = time.components.seconds
    }

    func run() throws(CommandFailure) {
        let status = try client.get("/v1/status").json()
        let history = since == nil ? JSONValue.null : try client.get("/v1/history").json()
        let period = TrafficPeriod(since, status: status, history: history)
        let start = SystemClock.wallMilliseconds() - period.seconds * 1000
        let requests = try client.recentRequests(since: period.isSinceStart ? .min : start)
        let report = StatsReport(period: period, summary: requests.map { RequestSummary($0) })
        guard isJSON else { return Console.write(report.text(on: .output)) }
        var writer = JSONWriter()
        writer.object { report.write(to: &$0) }
        Console.write(writer.bytes + [UInt8(ascii: "\n")])
    }
}
