import CommandSyntax
import Formats
import JSON
import Settings
import Terminal

/// `respite tail [FILTER]`: prints recent requests, and further ones as they are answered.
struct TailCommand {
    private static let usualCount = 20
    private static let mostRequests = 1000

    private let client: AdminClient
    private let printer: RequestPrinter
    private let follows: Bool
    private let writesArchive: Bool
    private let count: Int
    private let filter: String

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        printer = RequestPrinter(isJSON: command.has("json"), isLong: command.has("long"))
        follows = !command.has("no-follow")
        writesArchive = command.has("har")
        let text = command.operands.joined(separator: " ")
        filter = text.isEmpty ? "" : "&filter=\(QueryText.escaped(text.utf8))"
        guard let text = command.value(of: "lines") else {
            count = Self.usualCount
            return
        }
        guard let number = Int(text), (0...Self.mostRequests).contains(number) else {
            let usage = "usage: \(command.specification.usage); see `respite tail --help`"
            throw CommandFailure("`--lines` needs a whole number from 0 to \(Self.mostRequests)\n\(usage)", exitCode: 2)
        }
        count = number
    }

    func run() throws(CommandFailure) {
        if writesArchive {
            let query = filter.isEmpty ? "" : "?\(filter.dropFirst())"
            return Console.write(try client.get("/v1/requests.har\(query)").content)
        }
        guard follows else { return try list() }
        var events = EventReader()
        // Why the daemon ended the stream, if it goes on itself.
        var reason: String?
        try client.download("/v1/requests/stream?last=\(count)\(filter)") { [printer] bytes in
            let found = events.read(bytes)
            printer.print(found)
            if let end = found.last(where: { $0.name == "end" }) {
                reason = (try? JSONReader.parse(end.data))?["detail"]?.text
            }
        }
        if let reason { throw CommandFailure(reason, exitCode: 3) }
        throw CommandFailure("the daemon is stopping, and no more requests come", exitCode: 4)
    }

    private func list() throws(CommandFailure) {
        // With 0, too, the daemon reports whether it keeps requests.
        let page = try client.get("/v1/requests?limit=\(max(1, count))\(filter)").json()
        let requests = page["requests"]?.elements ?? []
        printer.print(requests.prefix(count).reversed())
        guard requests.isEmpty else { return }
        let end = filter.isEmpty ? "has been answered yet" : "that is kept fits the filter"
        Console.complain("respite: no request \(end)")
    }
}
