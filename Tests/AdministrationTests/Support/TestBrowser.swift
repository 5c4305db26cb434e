import JSON
import Settings

@testable import Administration

/// A browser before an admin listener: it says which site a request comes from, and keeps cookie and proof.
struct TestBrowser {
    let admin: TestAdmin
    var cookie = ""
    var proof = ""

    init(_ admin: TestAdmin) { self.admin = admin }

    /// The origin of the dashboard's pages.
    var origin: String { "http://127.0.0.1:\(admin.port)" }
    static let ownPage = "Sec-Fetch-Site: same-origin"
    static let visit = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    /// The fields of a request of a page of ours.
    var fields: [String] { [admin.host, Self.ownPage, "Cookie: \(cookie)", "Respite-Session: \(proof)"] }

    func get(_ path: String) throws -> Answer { try admin.send("GET", path, fields) }

    func post(_ path: String, _ json: String = "") throws -> Answer {
        let type = json.isEmpty ? [] : ["Content-Type: application/json"]
        return try admin.send("POST", path, fields + type, content: Array(json.utf8))
    }

    /// Opens an address in a tab of its own, from a page of `site`.
    func visit(_ path: String, from site: String) throws -> Answer {
        let cookies = cookie.isEmpty ? [] : ["Cookie: \(cookie)"]
        return try admin.send("GET", path, [admin.host, "Sec-Fetch-Site: \(site)"] + Self.visit + cookies)
    }

    /// Logs in with `{"token": …}` or `{"code": …}`, and keeps what the answer sets.
    @discardableResult
    mutating func logIn(_ json: String) throws -> Answer {
        let answer = try post("/login", json)
        guard answer.status == 200 else { return answer }
        cookie = answer["Set-Cookie"]?.split(separator: ";").first.map(String.init) ?? ""
        proof = try JSONReader.parse(answer.content)["proof"]?.text ?? ""
        return answer
    }

    @discardableResult
    mutating func logIn(token: String = TestAdmin.token) throws -> Answer { try logIn(#"{"token":"\#(token)"}"#) }

    /// The code of a new link, as `respite dashboard` gets one.
    func code() throws -> String {
        let answer = try admin.send("POST", "/v1/sessions", [admin.host, TestAdmin.bearer])
        let url = try JSONReader.parse(answer.content)["url"]?.text ?? ""
        return String(url.split(separator: "=").last ?? "")
    }
}
