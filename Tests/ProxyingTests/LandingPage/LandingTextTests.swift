import HTTPCore
import Testing

@testable import Proxying

/// The sentences of the page, and how they stand in text and document.
@Suite struct LandingTextTests {
    private static func page(
        _ host: String = "Host: localhost:3128",
        tunnels: Int = 0,
        _ change: (inout ProxyOptions) -> Void = { _ in }
    ) throws -> LandingPage {
        let options = try router(change).options
        return LandingPage(try head("GET / HTTP/1.1", host), options, passedTunnels: tunnels)
    }

    private static func lines(_ page: LandingPage) -> [String] {
        page.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("as text, names of clients stand in a column of 13, the further commands and notes below the first one")
    func columns() throws {
        let lines = Self.lines(try Self.page())
        #expect(lines.prefix(2) == ["Respite: a caching HTTP proxy at localhost:3128", ""])
        for line in [
            "  Any command  respite run -- COMMAND",
            "               # On the machine of the daemon. It points the tools of a command here, and counts hits at its end.",
            "  curl, wget   curl http://localhost:3128/https://example.org/",
            "  pip, uv      pip config set global.index-url http://localhost:3128/https://INDEX/simple/",
            "               export UV_DEFAULT_INDEX=http://localhost:3128/https://INDEX/simple/",
            "  Go           go env -w GOPROXY=http://localhost:3128/https://INDEX,direct",
            "  cargo        [source.crates-io]", "               replace-with = \"respite\"",
            "  Shell        export http_proxy=http://localhost:3128",
            "               export https_proxy=http://localhost:3128",
            "  Docker       { \"registry-mirrors\": [\"http://registry.localhost:3128\"] }",
            "  PAC          http://localhost:3128/proxy.pac",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let end = "Every response says in Cache-Status what happened. `respite ls` shows what is stored."
        #expect(lines.suffix(3) == ["", end, ""] && lines.contains(LandingPage.aboutIndex))
    }

    @Test("services have a line each, and the dashboard the last one")
    func services() throws {
        let base = try TargetURI(parsing: "http://a.example/v1")
        let services = [
            ServiceRoute(name: "api", base: base),
            ServiceRoute(name: "a-very-long-name", base: base, injected: [([0x61], [0x62])]),
        ]
        let lines = Self.lines(
            try Self.page {
                $0.services = services
                $0.adminURL = "http://127.0.0.1:3129/"
            }
        )
        let start = try #require(lines.firstIndex(of: "Services:"))
        #expect(lines[start - 1].isEmpty)
        #expect(
            lines[(start + 1)...] == [
                "  api          http://localhost:3128/api/ is http://a.example/v1, as is http://api.localhost:3128/",
                "  a-very-long-name http://localhost:3128/a-very-long-name/ is http://a.example/v1 (adds a credential), "
                    + "as is http://a-very-long-name.localhost:3128/",
                "", "Every response says in Cache-Status what happened. `respite ls` shows what is stored.",
                "Dashboard: http://127.0.0.1:3129/ (`respite dashboard` logs in)", "",
            ]
        )
    }

    @Test("the number of tunnels that passed is told in a sentence", arguments: [0, 1, 2])
    func tunnels(count: Int) throws {
        let sentences = [
            "No tunnel has passed so far.", "1 tunnel has passed unread so far; `respite status` names its host.",
            "2 tunnels have passed unread so far; `respite status` names their hosts.",
        ]
        let page = try Self.page(tunnels: count)
        #expect(page.aboutTunnels.last == sentences[count] && page.aboutTunnels.count == 4)
        #expect(Self.lines(page).contains(page.aboutTunnels.joined(separator: " ")))
    }

    @Test("without the prefix route nothing names INDEX, and without the forward route there is no script")
    func routes() throws {
        let forward = try Self.page { $0.routes = [.forward] }
        #expect(forward.clients.map(\.name) == ["apt", "Shell", "Browser", "PAC"] && !forward.namesIndex)
        #expect(!forward.text.contains("INDEX") && forward.aboutTunnels.count == 3)
        #expect(!forward.text.contains("in the path give hits") && !forward.text.contains("write its URL behind"))
        let prefix = try Self.page { $0.routes = [.prefix] }
        #expect(prefix.clients.map(\.name).suffix(4) == ["Docker", "apt", "Shell", "Browser"] && prefix.namesIndex)
        #expect(prefix.text.contains("The forms with https in the path give hits instead."))
        #expect(prefix.text.contains("For one of https write its URL behind http://localhost:3128/ in sources.list."))
    }

    @Test(
        "elsewhere than on this machine no name below localhost is told; without Host a listener has the usual address"
    )
    func elsewhere() throws {
        let page = try Self.page("Host: proxy.example")
        #expect(page.registryMirror == nil && page.authority == "proxy.example" && !page.text.contains("localhost:"))
        #expect(!page.clients.map(\.name).contains("Docker"))
        let none = LandingPage(try head("GET / HTTP/1.0"), try router().options, passedTunnels: 0)
        #expect(none.authority == "127.0.0.1:3128")
        let secure = LandingPage(
            try head("GET / HTTP/1.1", "Host: localhost"),
            try router().options.overTLS,
            passedTunnels: 0
        )
        #expect(
            secure.registryMirror == "https://registry.localhost" && secure.text.contains("export http_proxy=https://")
        )
    }

    @Test("in the document what stands in backquotes is code, and a command may break before a URL")
    func document() throws {
        let text = try Self.page().document(nonce: "n0")
        for part in [
            "<style nonce=\"n0\">", "<title>Respite at localhost:3128</title>",
            "On the machine of the daemon <code>respite env --for TOOL</code> asks the tool, and prints",
            "<p>Or name hosts in intercept.hosts, after <code>respite ca create</code>. git asks by POST",
            "<dd><code><span>export UV_DEFAULT_INDEX=<wbr>http://localhost:3128/https://INDEX/simple/</span></code></dd>",
            "<dd><code><span>Acquire::http::Proxy &quot;http://localhost:3128&quot;;</span></code></dd>",
            "<dd><a href=\"http://localhost:3128/proxy.pac\">http://localhost:3128/proxy.pac</a></dd>",
            "<span>export http_proxy=<wbr>http://localhost:3128</span><span>export https_proxy=<wbr>http://localhost:3128</span>",
            "<p>None yet. One is two lines in the settings, and then has an address of its own here.</p>",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("Dashboard:") && !text.contains("<code></code>"))
        #expect(LandingPage.escaped("<a href=\"b\">'&'</a>") == "&lt;a href=&quot;b&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;")
    }

    @Test(
        "HTML is for clients that name it with a weight above 0",
        arguments: [
            ("text/html", true), ("text/html;q=0", false), ("text/html;q=0.0", false), ("text/html;q=0.000", false),
            ("text/html;q=0.1", true), ("text/html;q=1", true), ("text/plain, text/html;q=0.001", true),
            ("application/xhtml+xml", false), ("", false),
        ]
    )
    func weights(accept: String, wants: Bool) throws {
        let request = try head("GET / HTTP/1.1", "Host: localhost", "Accept: \(accept)")
        #expect(LandingPage.wantsDocument(request) == wants)
    }
}
