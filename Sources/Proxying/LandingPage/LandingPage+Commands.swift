/// Instructions that point clients at the proxy.
extension LandingPage {
    /// One kind of client.
    struct Client {
        var name: String
        /// Commands to type, or lines for a file; each entry may have several lines that belong together.
        var commands: [String]
        /// A sentence beside it.
        var note = ""
    }

    var clients: [Client] {
        let proxy = scheme + authority
        return [
            Client(
                name: "curl",
                commands: ["curl -x \(proxy) http://example.org/"]
                    + (hasPrefixGateway ? ["curl \(proxy)/http://example.org/"] : []),
                note: hasPrefixGateway ? "The second form needs no proxy setting, for tools that have none." : ""
            ),
            Client(name: "wget", commands: ["wget -e http_proxy=\(proxy) http://example.org/"]),
            Client(
                name: "Shell",
                commands: [
                    "export http_proxy=\(proxy)\nexport https_proxy=\(proxy)\nexport no_proxy=localhost,127.0.0.1"
                ],
                note: "Most command line tools read these."
            ),
            Client(
                name: "apt",
                commands: ["Acquire::http::Proxy \"\(proxy)\";"],
                note: "A line for /etc/apt/apt.conf.d/01respite."
            ),
            Client(name: "git", commands: ["git config --global http.proxy \(proxy)"]),
            Client(name: "pip", commands: ["pip config set global.proxy \(proxy)"]),
            Client(
                name: "npm",
                commands: ["npm config set proxy \(proxy)\nnpm config set https-proxy \(proxy)"]
            ),
            Client(
                name: "Browser",
                commands: ["chromium --proxy-server=\(proxy)"],
                note: "Firefox: Settings, Network Settings, Manual proxy configuration."
            ),
        ]
    }

    /// What the cache keeps, and what it does not.
    var cached: [(term: String, description: String)] {
        [
            ("Kept", "What the origin lets a cache keep, as long as it says; then asked about, not fetched again."),
            ("Shared", "Equal requests at one time make one request to the origin, and all follow its answer."),
            (
                "Yours alone",
                "What the origin calls private, or sends for a credential or a key, is given to that one only."
            ),
            ("Passed by", "HTTPS in tunnels, WebSockets, event streams, and whatever says no-store."),
        ]
    }

    /// The page as plain text, for tools.
    var text: String {
        var lines = ["Respite: a caching HTTP proxy at \(authority)", ""]
        for client in clients {
            for (index, command) in client.commands.flatMap({ $0.split(separator: "\n") }).enumerated() {
                lines.append(Self.column(index == 0 ? client.name : "") + command)
            }
        }
        if !services.isEmpty {
            lines += ["", "Services:"]
            for service in services {
                let credential = service.injects ? " (adds a credential)" : ""
                let host = service.host.map { ", as is \($0)" } ?? ""
                lines.append(Self.column(service.name) + "\(service.link) is \(service.base)\(credential)\(host)")
            }
        }
        lines += ["", "Every response says in Cache-Status what happened. `respite ls` shows what is stored."]
        if let adminURL { lines.append("Administration: \(adminURL)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func column(_ name: String) -> String {
        "  " + name + String(repeating: " ", count: max(1, 12 - name.count))
    }
}
