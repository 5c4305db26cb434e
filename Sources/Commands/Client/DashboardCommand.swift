import CommandSyntax
import Eventing
import Formats
import Platform
import Settings
import Terminal

/// `respite dashboard`: opens the dashboard in a browser, by a link that works once.
struct DashboardCommand {
    private let client: AdminClient
    private let isJSON: Bool
    private let prints: Bool
    private let tools = SystemTools()

    init(_ client: AdminClient, _ command: ParsedCommand) {
        self.client = client
        isJSON = command.has("json")
        prints = command.has("print") || !Console.isTerminal
    }

    func run() throws(CommandFailure) {
        let document = try client.post("/v1/sessions", json: []).json()
        guard let url = document["url"]?.text.flatMap({ Self.link($0, from: client.address) }) else {
            throw CommandFailure("what answers at \(client.address) gives no link to a dashboard; nothing was opened")
        }
        let seconds = document["secondsLeft"]?.integer ?? 60
        if isJSON {
            var writer = JSONWriter()
            writer.object {
                $0.member("url", url)
                $0.member("secondsLeft", seconds)
            }
            Console.write(writer.bytes + [UInt8(ascii: "\n")])
        } else if !prints, open(url) {
            Console.write("The dashboard opens in your browser. If it does not: respite dashboard --print\n")
        } else if Console.isTerminal {
            Console.write("Open this link within \(seconds) seconds; it works once:\n\(url)\n")
        } else {
            Console.write(url + "\n")
        }
    }

    /// The link to open, made anew: of what a daemon answers only the code is used.
    ///
    /// Any program may listen at a port while the daemon is down. It must not choose what the desktop opens, a file for
    /// example. The user's own socket reports where the daemon listens, since the socket itself has no address.
    ///
    /// - Returns: nil if `answer` has another form than the daemon's.
    static func link(_ answer: String, from address: SocketAddress) -> String? {
        let parts = answer.split(separator: "/login#code=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("http://"), isCode(parts[1]) else { return nil }
        let listener = address.ipAddress == nil ? SocketAddress(String(parts[0].dropFirst(7))) : address
        guard let listener, listener.ipAddress != nil else { return nil }
        return "http://\(listener)/login#code=\(parts[1])"
    }

    /// Whether the text is 256 bits in Base64URL.
    private static func isCode(_ text: Substring) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Starts the desktop's browser, which may run longer than this program; false if there is none.
    private func open(_ url: String) -> Bool {
        let environment = ProcessContext.current.environment
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
        guard hasDesktop, let opener = tools.find("xdg-open") else { return false }
        // A terminal that closes at once sends SIGHUP, perhaps before setsid has run.
        let command = "trap '' HUP; setsid \"$1\" \"$2\" >/dev/null 2>&1 </dev/null &"
        return tools.run(["/bin/sh", "-c", command, "sh", opener, url]).hasSucceeded
    }
}
