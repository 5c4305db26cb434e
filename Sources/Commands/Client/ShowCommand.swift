import CommandSyntax
import HTTPCore
import JSON
import Settings
import Terminal

/// `respite show URL`: prints everything about one resource.
struct ShowCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let uri: TargetURI
    private let isCommand: Bool

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        let form = command.value(of: "as")
        guard form == nil || form == "curl" else {
            throw CommandFailure("`--as` must be curl, not `\(Console.printable(form ?? ""))`", exitCode: 2)
        }
        isCommand = form != nil
        uri = try TargetURI(operand: command.operands.first ?? "")
    }

    func run() throws(CommandFailure) {
        let response = try client.get("/v1/resources?uri=\(QueryText.escaped(uri.bytes))")
        if isCommand { return try writeCommands(try response.json()) }
        if isJSON { Console.write(response.content) } else { Console.write(Self.text(try response.json())) }
    }

    /// The requests that get the stored responses, one a line.
    private func writeCommands(_ resource: JSONValue) throws(CommandFailure) {
        let proxy = try? ProxyEndpoint(status: try client.get("/v1/status").json())
        let commands = (resource["variants"]?.elements ?? []).map { CurlText.command(uri.text, variant: $0, proxy) }
        guard !commands.isEmpty else {
            throw CommandFailure("nothing is stored for \(Console.printable(uri.text))", exitCode: 3)
        }
        for command in commands { Console.write(command + "\n") }
        guard commands.contains(where: { $0.contains(CurlText.hidden) }) else { return }
        Console.complain("respite: … stands for a value of which the store has only a hash")
    }

    static func text(_ resource: JSONValue) -> String {
        var text = Console.printable(resource["uri"]?.text ?? "-") + "\n"
        if resource["isLoading"]?.isTrue == true { text += line("loading", loading(resource)) }
        if let error = resource["error"] {
            text += line("error", "\(error["status"]?.integer ?? 0) \(error["message"]?.text ?? "")")
        }
        if let shared = resource["shared"]?.text { text += line("shared", shared) }
        for variant in resource["variants"]?.elements ?? [] { text += self.text(variant: variant) }
        return text
    }

    /// The progress of a load in percent, if the daemon knows it.
    private static func loading(_ resource: JSONValue) -> String {
        resource["progress"]?.number.map { "\(Int($0 * 100)) %" } ?? "yes"
    }

    private static func text(variant: JSONValue) -> String {
        func number(_ name: String) -> Int64 { variant[name]?.integer ?? 0 }
        func seconds(_ name: String) -> String { Table.Cell.readable(seconds: number(name)) }
        var text = "\nvariant \(number("number"))\n"
        text += line("status", "\(number("status"))")
        text += line("state", (variant["state"]?.text ?? "-") + (isInvalidated(variant) ? ", invalidated" : ""))
        text += line("for", variant["partition"]?.text ?? "-")
        let vary = (variant["vary"]?.elements ?? []).compactMap(\.text)
        if !vary.isEmpty { text += line("vary", vary.joined(separator: ", ")) }
        text += line("size", Table.Cell.readable(bytes: number("size")))
        if let part = StoredPart(variant) { text += line("part", part.text) }
        text += line("age", seconds("ageSeconds"))
        text += line("lifetime", "\(seconds("lifetimeSeconds")) (\(variant["lifetimeSource"]?.text ?? "-"))")
        text += line("ttl", seconds("ttlSeconds"))
        text += line("stored", variant["stored"]?.text ?? "-")
        text += line("in", variant["in"]?.text ?? "-")
        let tags = (variant["tags"]?.elements ?? []).compactMap(\.text)
        if !tags.isEmpty { text += line("tags", tags.joined(separator: ", ")) }
        for rendition in variant["renditions"]?.elements ?? [] {
            text += line("rendition", self.text(rendition: rendition))
        }
        for field in variant["fields"]?.elements ?? [] where field.elements.count == 2 {
            let name = field.elements[0].text ?? ""
            text += "    \(Console.printable("\(name): \(field.elements[1].text ?? "")"))\n"
        }
        return text
    }

    private static func text(rendition: JSONValue) -> String {
        let described = ["contentType", "contentEncoding", "variation"].compactMap { rendition[$0]?.text }
        let size = Table.Cell.readable(bytes: rendition["size"]?.integer ?? 0)
        return ([rendition["pipeline"]?.text ?? "-", size] + described).joined(separator: ", ")
    }

    private static func isInvalidated(_ variant: JSONValue) -> Bool { variant["isInvalidated"]?.isTrue == true }

    private static func line(_ name: String, _ value: String) -> String {
        "  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(Console.printable(value))\n"
    }
}
