import Foundation
import HTTPCore
import Testing

@testable import Administration

/// The pages of the dashboard, and who gets which.
struct DashboardTests {
    @Test(
        "a visit without a session gets the login page and nothing else, from whatever site (H-164)",
        arguments: ["none", "same-origin", "same-site", "cross-site"]
    )
    func visits(site: String) throws {
        let admin = try TestAdmin()
        let browser = TestBrowser(admin)
        let login = try #require(DashboardFile.login)
        for path in ["/", "/v1/status", "/v1/none", "/v1/purge", "/metrics"] {
            let answer = try browser.visit(path, from: site)
            #expect(answer.status == 401 && answer.content == login.bytes, "\(path)")
            #expect(answer["Content-Type"] == "text/html; charset=utf-8" && answer["Cache-Control"] == "no-store")
        }
        #expect(try browser.visit("/login", from: site).content == login.bytes)
    }

    @Test(
        "with a session a visit gets the shell, which has no data; other addresses stay closed to other sites (H-164)",
        arguments: [("none", 401), ("same-site", 403), ("cross-site", 403)]
    )
    func visitsWithSession(site: String, status: Int) throws {
        let admin = try TestAdmin()
        var browser = TestBrowser(admin)
        try browser.logIn()
        let shell = try #require(DashboardFile.shell)
        let answer = try browser.visit("/", from: site)
        #expect(answer.status == 200 && answer.content == shell.bytes && answer["Cache-Control"] == "no-store")
        for path in ["/v1/status", "/v1/events", "/metrics"] {
            #expect(try browser.visit(path, from: site).status == status, "\(path)")
        }
    }

    @Test("pages of other sites get neither pages nor their parts into themselves (H-144, H-164)")
    func embedding() throws {
        let admin = try TestAdmin()
        for path in ["/", "/login", "/assets/app.js", "/assets/icon.svg"] {
            for purpose in [
                ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
                ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"],
                ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"], [],
            ] {
                for site in ["cross-site", "same-site"] {
                    let answer = try admin.send("GET", path, [admin.host, "Sec-Fetch-Site: \(site)"] + purpose)
                    #expect(answer.status == 403, "\(path) \(purpose)")
                }
            }
        }
    }

    @Test("pages run only what this listener sends, and nobody frames them (H-147)")
    func policy() throws {
        let admin = try TestAdmin()
        for path in ["/", "/login", "/assets/app.js", "/assets/style.css", "/assets/icon.svg"] {
            let answer = try admin.send("GET", path, [admin.host])
            #expect(
                answer["Content-Security-Policy"]
                    == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'"
            )
            #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Referrer-Policy"] == "no-referrer")
        }
    }

    @Test("a browser that asks for a service worker gets one that removes itself, whatever the path (H-164)")
    func worker() throws {
        let admin = try TestAdmin()
        let worker = try #require(DashboardFile.named("unregister.js"))
        for path in ["/worker.js", "/", "/v1/status", "/assets/app.js"] {
            let answer = try admin.send("GET", path, [admin.host, TestBrowser.ownPage, "Service-Worker: script"])
            #expect(answer.status == 200 && answer.content == worker.bytes, "\(path)")
            #expect(answer["Content-Type"] == "text/javascript; charset=utf-8")
            #expect(answer["Service-Worker-Allowed"] == "/" && answer["Cache-Control"] == "no-store")
        }
        #expect(try admin.send("GET", "/worker.js", ["Host: evil.example", "Service-Worker: script"]).status == 421)
        #expect(try admin.send("POST", "/v1/purge", [admin.host, "Service-Worker: script"]).status == 401)
    }

    @Test("parts of pages are validated by their entity tag")
    func validation() throws {
        let admin = try TestAdmin()
        let first = try admin.send("GET", "/assets/style.css", [admin.host])
        let tag = try #require(first["ETag"])
        #expect(first.status == 200 && first["Cache-Control"] == "no-cache")
        let second = try admin.send("GET", "/assets/style.css", [admin.host, "If-None-Match: \(tag)"])
        #expect(second.status == 304 && second.content.isEmpty && second["ETag"] == tag)
        #expect(try admin.send("GET", "/assets/style.css", [admin.host, "If-None-Match: \"x\""]).status == 200)
    }

    @Test("the program has every file of the folder, byte for byte, and pages are no assets")
    func files() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/CDashboard/Pages").standardized
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(EmbeddedFiles.all().map(\.name).sorted() == names)
        for name in names {
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            let isSame = DashboardFile.named(name)?.bytes == bytes
            #expect(isSame, "\(name)")
        }
        let admin = try TestAdmin()
        for path in ["/assets/index.html", "/assets/none.js", "/assets/", "/assets/../index.html"] {
            #expect(try admin.get(path).status == 404, "\(path)")
        }
    }

    @Test("no page names another server, and none has a script, a style or a handler written into it")
    func pages() throws {
        for (name, bytes) in EmbeddedFiles.all() {
            let text = String(decoding: bytes, as: UTF8.self)
            let links = text.matches(of: #/(src|href|url\(|from|fetch\()\s*=?\s*["'(]?(https?:)?\/\//#)
            #expect(links.isEmpty, "\(name)")
            let sinks = [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc", "document.write", "DOMParser", "eval(",
            ]
            for sink in sinks {
                #expect(!text.contains(sink), "\(name): \(sink)")
            }
            guard name.hasSuffix(".html") else { continue }
            #expect(!text.contains("<style") && !text.contains(" style=") && !text.contains("javascript:"), "\(name)")
            #expect(text.matches(of: #/<script(?! type="module" src="\/assets\/)/#).isEmpty, "\(name)")
            #expect(text.matches(of: #/\son\w+=/#).isEmpty, "\(name)")
        }
    }
}
