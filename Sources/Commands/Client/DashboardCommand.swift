import CommandSyntax
import Platform
import Settings

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
        let response = try client.post("/v1/sessions", json: [])
        if isJSON { return Console.write(response.content) }
        let document = try response.json()
        guard let url = document["url"]?.text.map(Console.printable) else {
            throw CommandFailure("the daemon's answer has no link")
        }
        let seconds = document["secondsLeft"]?.integer ?? 60
        if !prints, open(url) {
            Console.write("The dashboard opens in your browser. If it does not: respite dashboard --print\n")
        } else if Console.isTerminal {
            Console.write("Open this link within \(seconds) seconds; it works once:\n\(url)\n")
        } else {
            Console.write(url + "\n")
        }
    }

    /// Starts the desktop's browser, which may run longer than this program; false if there is none.
    private func open(_ url: String) -> Bool {
        let environment = ProcessContext.current.environment
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
        guard hasDesktop, let opener = tools.find("xdg-open") else { return false }
        let command = "setsid \"$1\" \"$2\" >/dev/null 2>&1 </dev/null &"
        return tools.run(["/bin/sh", "-c", command, "sh", opener, url]).hasSucceeded
    }
}
