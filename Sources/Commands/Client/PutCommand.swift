import CommandSyntax
import LibC
import HTTPCore
import Platform
import Settings
import Terminal

/// `respite put URL FILE`: replaces the stored content of a URL.
struct PutCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let uri: TargetURI
    private let file: String
    private let type: String?
    /// Whether status and fields of the stored response stay.
    private let isContentOnly: Bool
    private let parameters: [(name: String, value: String)]

    /// The largest file, in bytes; the daemon has a limit of its own.
    private static let limit = 256 << 20

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        guard command.operands.count == 2 else {
            throw CommandFailure("`put` needs a URL and a file; - is standard input", exitCode: 2)
        }
        self.client = client
        isJSON = command.has("json")
        uri = try TargetURI(operand: command.operands[0])
        file = command.operands[1]
        type = command.value(of: "type")
        isContentOnly = command.has("content-only")
        if isContentOnly, let other = ["type", "status"].first(where: { command.value(of: $0) != nil }) {
            throw CommandFailure("`--content-only` keeps what `--\(other)` would change; use one of them", exitCode: 2)
        }
        var parameters: [(name: String, value: String)] = [("uri", uri.text)]
        if let text = command.value(of: "ttl") {
            guard let lifetime = Duration(settingText: text) else {
                throw CommandFailure("`--ttl` must be a duration with its unit such as 30s, 5m or 1h", exitCode: 2)
            }
            parameters.append(("ttl", "\(lifetime.components.seconds)"))
        }
        if let status = command.value(of: "status") { parameters.append(("status", status)) }
        if command.has("durable") { parameters.append(("durable", "true")) }
        self.parameters = parameters
    }

    func run() throws(CommandFailure) {
        let content: [UInt8]
        do {
            content = try SmallFile.read(file == "-" ? "/dev/stdin" : file, limit: Self.limit)
        } catch {
            throw CommandFailure("cannot read \(Console.printable(file)): \(error.reason)")
        }
        let query = parameters.map { "\($0.name)=\(QueryText.escaped($0.value.utf8))" }.joined(separator: "&")
        let path = "/v1/resources?\(query)"
        let response = isContentOnly ? try client.patch(path, content) : try client.put(path, content, type: type)
        guard !isJSON else {
            Console.write(response.content)
            return
        }
        let json = try response.json()
        let size = Table.Cell.readable(bytes: json["size"]?.integer ?? 0)
        let durability = json["durable"]?.isTrue == true ? ", and survives a restart" : ""
        Console.write("\(Console.printable(uri.text)) is now \(size) of your own\(durability)\n")
    }
}
