/// The page as an HTML document.
extension LandingPage {
    /// - Parameter nonce: identifies the one style sheet that the policy allows.
    func document(nonce: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Respite at \(Self.escaped(authority))</title>
        <link rel="icon" href="data:image/svg+xml,\(Self.icon)">
        <style nonce="\(nonce)">\(Self.style)</style>
        </head>
        <body>
        <header>
        <p class="brand">\(Self.mark)<span>Respite</span></p>
        <h1>A caching HTTP proxy is running here.</h1>
        <p class="lead">Point your tools at <code>\(Self.escaped(authority))</code> and they ask each question once:
        what an origin lets a cache keep is answered from here, the rest passes through.</p>
        </header>
        <main>
        <section class="clients" aria-labelledby="clients">
        <h2 id="clients">The forms that give hits</h2>
        \(indexNote)
        <dl>
        \(clients.map(Self.row).joined(separator: "\n"))
        </dl>
        </section>
        <aside>
        <section class="tunnels" aria-labelledby="tunnels">
        <h2 id="tunnels">What passes unread</h2>
        \(aboutTunnels.map { "<p>\(Self.coded($0))</p>" }.joined(separator: "\n"))
        </section>
        \(servicesSection)
        <section aria-labelledby="cached">
        <h2 id="cached">What is cached</h2>
        <dl class="facts">
        \(cached.map { "<div><dt>\($0.term)</dt><dd>\($0.description)</dd></div>" }.joined(separator: "\n"))
        </dl>
        </section>
        <section aria-labelledby="inside">
        <h2 id="inside">Look inside</h2>
        <p>Every answer says in its <code>Cache-Status</code> field what happened to it.</p>
        <p class="command"><code>respite ls</code></p>
        \(administration)
        </section>
        </aside>
        </main>
        </body>
        </html>

        """
    }

    private static func row(_ client: Client) -> String {
        let commands = client.commands.map { "<dd><code>\(breakable($0))</code></dd>" }.joined()
        let note = client.note.isEmpty ? "" : "<dd class=\"note\">\(coded(client.note))</dd>"
        let link = client.link.map { "<dd><a href=\"\(escaped($0))\">\(escaped($0))</a></dd>" } ?? ""
        return "<div><dt>\(escaped(client.name))</dt>\(commands)\(link)\(note)</div>"
    }

    private var indexNote: String { namesIndex ? "<p class=\"note\">\(Self.coded(Self.aboutIndex))</p>" : "" }

    /// Escapes text, and sets what stands between backquotes as code.
    private static func coded(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset % 2 == 1 ? "<code>\(escaped(String($0.element)))</code>" : escaped(String($0.element)) }
            .joined()
    }

    /// Lets lines break before an address rather than inside it.
    private static func breakable(_ command: String) -> String {
        command.split(separator: "\n").map { line in
            var result = ""
            for part in line.split(separator: "http://", omittingEmptySubsequences: false) {
                if !result.isEmpty { result += result.hasSuffix("&quot;") ? "http://" : "<wbr>http://" }
                result += escaped(String(part))
            }
            return "<span>\(result)</span>"
        }.joined()
    }

    private var servicesSection: String {
        let rows = services.map { service in
            let badge = service.injects ? " <span class=\"badge\">adds a credential</span>" : ""
            let link = Self.escaped(service.link)
            let host = service.host.map { "; to browse, type <code>\(Self.escaped($0))</code>" } ?? ""
            return """
                <li><strong>\(Self.escaped(service.name))</strong>\(badge)
                <a href="\(link)">\(link)</a>
                <span class="base">for \(Self.escaped(service.base))\(host)</span></li>
                """
        }
        let content =
            rows.isEmpty
            ? "<p>None yet. One is two lines in the settings, and then has an address of its own here.</p>"
                + "<pre>[service.example]\nbase = \"http://api.example.org\"</pre>"
            : "<ul class=\"services\">\(rows.joined(separator: "\n"))</ul>"
        return """
            <section aria-labelledby="services">
            <h2 id="services">Named services</h2>
            \(content)
            </section>
            """
    }

    private var administration: String {
        guard let adminURL else { return "" }
        let url = Self.escaped(adminURL)
        return "<p>Dashboard: <a href=\"\(url)\" rel=\"noreferrer\">\(url)</a></p>"
    }

    /// Escapes text for use as text and as an attribute's value.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
