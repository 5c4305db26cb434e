import CommandSyntax
import Formats
import HTTPCore
import Settings
import Terminal

/// `respite refresh URL…`: makes the daemon load URLs now; a pattern means what is stored and fits.
struct RefreshCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let targets: [String]
    private let list: RefreshList?

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isJSON = command.has("json")
        targets = command.operands
        list = try command.value(of: "from").map { file throws(CommandFailure) in
            try RefreshList(client, file: file, isJSON: command.has("json"))
        }
        guard list != nil || !targets.isEmpty else {
            let usage = "usage: \(command.specification.usage); see `respite refresh --help`"
            throw CommandFailure("name URLs, or a list of them by `--from FILE`\n\(usage)", exitCode: 2)
        }
        for target in targets { try PatternOperand.check(target) }
    }

    func run() throws(CommandFailure) {
        for target in targets {
            if URLGlob.isPattern(target) { try refreshStored(target) } else { try refresh(target) }
        }
        try list?.run()
    }

    /// Loads all stored resources that fit a pattern; goes on if one cannot be loaded, and fails at the end.
    private func refreshStored(_ pattern: String) throws(CommandFailure) {
        let urls = try stored(pattern)
        guard !urls.isEmpty else {
            throw CommandFailure("nothing is stored for \(Console.printable(pattern))", exitCode: 3)
        }
        var failures = 0
        for url in urls {
            do throws(CommandFailure) {
                try refresh(url)
            } catch {
                // Without a daemon, the others would fail alike.
                guard error.exitCode != 4, !error.isRefusedToken else { throw error }
                Console.complain("respite: \(error.userMessage)")
                failures += 1
            }
        }
        guard failures == 0 else { throw CommandFailure("\(failures) of \(urls.count) URLs could not be loaded") }
    }

    /// The URLs of all stored resources that fit: a load may change what later pages list, so they are read before.
    private func stored(_ pattern: String) throws(CommandFailure) -> [String] {
        var urls: [String] = []
        var seen: Set<String> = []
        try client.forEachPage(filter: pattern) { page in
            // A resource that has only an error holds nothing.
            for resource in page where resource["status"] != nil {
                if let url = resource["uri"]?.text, seen.insert(url).inserted { urls.append(url) }
            }
        }
        return urls
    }

    private func refresh(_ url: String) throws(CommandFailure) {
        var writer = JSONWriter()
        writer.object { $0.member("uri", url) }
        let response = try client.post("/v1/refresh", json: writer.bytes)
        if isJSON {
            Console.write(response.content)
        } else {
            let word = try response.json()["result"]?.text == "notModified" ? "not modified" : "loaded"
            Console.write("\(word)  \(Console.printable(url))\n")
        }
    }
}
