import CommandSyntax
import HTTPCore
import JSON
import Platform
import Settings
import Terminal

/// `respite watch URL [--every TIME]`: prints the state of one resource, and then each change.
struct WatchCommand {
    private let client: AdminClient
    private let uri: TargetURI
    private let isJSON: Bool
    /// Seconds; nil: only what others cause.
    private let period: Int64?

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        uri = try TargetURI(operand: command.operands.first ?? "")
        guard let text = command.value(of: "every") else {
            period = nil
            return
        }
        guard let time = Duration(settingText: text), (.seconds(1)...(.seconds(86_400))).contains(time) else {
            throw CommandFailure("`--every` must be a duration from 1s to 1d, with its unit", exitCode: 2)
        }
        period = time.components.seconds
    }

    func run() throws(CommandFailure) {
        let feed = try WatchFeed(client, uri)
        var printer = WatchPrinter(isJSON: isJSON)
        var isLost = false
        var isRefreshing = period == nil
        while let news = feed.news.pop() {
            switch news {
            case .failure(let failure): throw failure
            case .lost(let reason):
                // Said once, until it is over.
                if !isLost { Console.complain("respite: \(reason); trying again every second") }
                isLost = true
            case .event(let event):
                isLost = false
                let current = Self.mayDiffer(event) ? content() : nil
                if let text = printer.text(event, current, at: SystemClock.wallMilliseconds()) { Console.write(text) }
                // A load that begins before the state is shown could not be distinguished from it.
                if let period, !isRefreshing { try feed.refresh(every: period) }
                isRefreshing = true
            }
        }
    }

    /// Whether the content may be another one than before.
    private static func mayDiffer(_ event: EventReader.Event) -> Bool {
        guard event.name == "snapshot" else { return event.name == "newData" || event.name == "gap" }
        // While it is loaded for the first time, its content comes with a later event.
        let document = try? JSONReader.parse(event.data)
        return document?["status"] != nil || document?["isLoading"]?.isTrue != true
    }

    /// What is stored now; nil if there is nothing, or the daemon does not say.
    private func content() -> WatchedContent? {
        let path = "/v1/resources?uri=\(QueryText.escaped(uri.bytes))"
        guard let resource = try? client.get(path).json(), let id = resource["id"]?.text,
            let variant = resource["variants"]?.elements.first
        else { return nil }
        let size = variant["size"]?.integer ?? 0
        let number = variant["number"]?.integer ?? 0
        let body = "/v1/resources/\(QueryText.escaped(id.utf8))/body?variant=\(number)"
        guard size <= Int64(WatchedContent.limit), (variant["extents"]?.elements ?? []).isEmpty,
            let bytes = try? client.get(body).content
        else { return .unread(size: size) }
        let coding = (variant["fields"]?.elements ?? []).contains { field in
            field.elements.first?.text?.lowercased() == "content-encoding"
        }
        return WatchedContent(bytes, isCoded: coding)
    }
}
