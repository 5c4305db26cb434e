/// Instructions that point clients at the proxy.
extension LandingPage {
    /// One kind of client.
    struct Client {
        var name: String
        /// Commands to type, or lines for a file; each entry may have several lines that belong together.
        var commands: [String]
        /// A URL to open or to copy.
        var link: String?
        /// A sentence beside it.
        var note = ""
    }

    /// The clients, each with the form that gives hits; `INDEX` stands for the host that the tool asks today.
    var clients: [Client] { (hasPrefixGateway ? byPrefix : []) + byProxy + (hasScript ? [script] : []) }

    /// Whether some form has the word `INDEX`.
    var namesIndex: Bool { hasPrefixGateway }

    private var proxy: String { scheme + authority }

    /// Forms with https in the path of our own URLs: TLS is between us and the origin, so that responses are stored.
    private var byPrefix: [Client] { packageManagers + (registryMirror.map { [Self.docker($0)] } ?? []) }

    private static func docker(_ mirror: String) -> Client {
        Client(
            name: "Docker",
            commands: ["{ \"registry-mirrors\": [\"\(mirror)\"] }"],
            note: "For /etc/docker/daemon.json. A mirror has no path, so make INDEX the base of [service.registry]."
        )
    }

    private var packageManagers: [Client] {
        [
            Client(
                name: "Any command",
                commands: ["respite run -- COMMAND"],
                note: "On the machine of the daemon. It points the tools of a command here, and counts hits at its end."
            ),
            Client(
                name: "curl, wget",
                commands: ["curl \(proxy)/https://example.org/"],
                note: "Needs no proxy setting; the same URL in the same form is a hit the second time."
            ),
            Client(
                name: "pip, uv",
                commands: [
                    "pip config set global.index-url \(proxy)/https://INDEX/simple/",
                    "export UV_DEFAULT_INDEX=\(proxy)/https://INDEX/simple/",
                ]
            ),
            Client(name: "npm", commands: ["npm config set registry \(proxy)/https://INDEX/"]),
            Client(name: "Go", commands: ["go env -w GOPROXY=\(proxy)/https://INDEX,direct"]),
            Client(
                name: "cargo",
                commands: [
                    "[source.crates-io]\nreplace-with = \"respite\"\n[source.respite]\n"
                        + "registry = \"sparse+\(proxy)/https://INDEX/\""
                ],
                note: "Lines for ~/.cargo/config.toml."
            ),
        ]
    }

    /// Forms that name a proxy: hits for http; https becomes a tunnel.
    private var byProxy: [Client] {
        [
            Client(
                name: "apt",
                commands: ["Acquire::http::Proxy \"\(proxy)\";"],
                note: "A line for /etc/apt/apt.conf.d/01respite; hits for mirrors of http."
                    + (hasPrefixGateway ? " For one of https write its URL behind \(proxy)/ in sources.list." : "")
            ),
            Client(
                name: "Shell",
                commands: [
                    "export http_proxy=\(proxy)\nexport https_proxy=\(proxy)\nexport no_proxy=localhost,127.0.0.1"
                ],
                note: "Most programs read these, wget and git too. http gives hits; https passes unread."
            ),
            Client(
                name: "Browser",
                commands: ["chromium --proxy-server=\(proxy)"],
                note: "Firefox: Settings, Network Settings, Manual proxy configuration. https passes unread."
            ),
        ]
    }

    private var script: Client {
        Client(
            name: "PAC",
            commands: [],
            link: "\(proxy)/proxy.pac",
            note:
                "The URL for automatic proxy configuration of browsers and systems. Programs may use socks5h:// here, too."
        )
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
            ("Passed by", "WebSockets, event streams, requests other than GET and HEAD, and whatever says no-store."),
        ]
    }

    /// What a tunnel is, and what to do instead.
    var aboutTunnels: [String] {
        var sentences = [
            "https through a proxy setting is a tunnel: encrypted between client and origin, so nothing in it can be stored."
        ]
        if hasPrefixGateway { sentences.append("The forms with https in the path give hits instead.") }
        sentences.append(
            "Or name hosts in intercept.hosts, after `respite ca create`. git asks by POST unless a server has dumb HTTP only; "
                + "that passes, too."
        )
        sentences.append(tunnelCount)
        return sentences
    }

    private var tunnelCount: String {
        switch passedTunnels {
        case 0: "No tunnel has passed so far."
        case 1: "1 tunnel has passed unread so far; `respite status` names its host."
        case let count: "\(count) tunnels have passed unread so far; `respite status` names their hosts."
        }
    }

    /// What `INDEX` means.
    static let aboutIndex =
        "INDEX is the host that your tool asks today. On the machine of the daemon `respite env --for TOOL` asks the tool, and "
        + "prints the line with it. With `rules = [\"pip\"]` in the settings, or npm, go, cargo and others, files that an index "
        + "links to come from here, too."

    /// The page as plain text, for tools.
    var text: String {
        var lines = ["Respite: a caching HTTP proxy at \(authority)", ""]
        for client in clients {
            let commands = client.commands + (client.link.map { [$0] } ?? [])
            for (index, command) in commands.flatMap({ $0.split(separator: "\n") }).enumerated() {
                lines.append(Self.column(index == 0 ? client.name : "") + command)
            }
            if !client.note.isEmpty { lines.append(Self.column("") + "# " + client.note) }
        }
        if namesIndex { lines += ["", Self.aboutIndex] }
        lines += ["", aboutTunnels.joined(separator: " ")]
        if !services.isEmpty {
            lines += ["", "Services:"]
            for service in services {
                let credential = service.injects ? " (adds a credential)" : ""
                let host = service.host.map { ", as is \($0)" } ?? ""
                lines.append(Self.column(service.name) + "\(service.link) is \(service.base)\(credential)\(host)")
            }
        }
        lines += ["", "Every response says in Cache-Status what happened. `respite ls` shows what is stored."]
        if let adminURL { lines.append("Dashboard: \(adminURL) (`respite dashboard` logs in)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func column(_ name: String) -> String {
        "  " + name + String(repeating: " ", count: max(1, 13 - name.count))
    }
}
