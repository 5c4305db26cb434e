import Administration
import Glibc
import ResourceCore
import Settings
import TestSupport
import Testing

/// The token that only reads.
struct ReadTokenTests {
    private static let token = "for-a-monitor-of-ours"
    private static let bearer = "Authorization: Bearer \(token)"

    private static func admin() throws -> TestAdmin {
        try TestAdmin { _, options in options.readToken = Array(token.utf8) }
    }

    @Test("the read token reads metrics, status, lists and log settings")
    func reads() throws {
        let admin = try Self.admin()
        try admin.hold("http://a.example/x")
        for path in [
            "/metrics", "/v1/status", "/v1/resources", "/v1/resources?uri=http://a.example/x", "/v1/tunnels", "/v1/log",
            "/v1/explain?url=http://a.example/x",
        ] {
            let answer = try admin.send("GET", path, [admin.host, Self.bearer])
            #expect(answer.status == 200, "\(path): \(answer.text)")
        }
    }

    @Test(
        "who has the read token changes nothing, and sees neither content nor settings",
        arguments: [
            "POST /v1/purge", "POST /v1/wipe", "POST /v1/invalidate", "POST /v1/refresh", "POST /v1/reload",
            "PUT /v1/mode", "PUT /v1/log", "PUT /v1/resources?uri=http://a.example/x",
            "PATCH /v1/resources?uri=http://a.example/x", "GET /v1/config", "GET /v1/resources/ID/body",
            "GET /v1/resources/ID/har", "POST /v1/import",
            "PUT /v1/resources/ID",
        ]
    )
    func changesNothing(line: String) throws {
        let admin = try Self.admin()
        let resource = try admin.hold("http://a.example/x", "before")
        let listing = try admin.json("/v1/resources?uri=http://a.example/x")
        let id = try #require(listing["id"]?.text)
        let words = line.replacing("ID", with: id).split(separator: " ").map(String.init)
        let fields = [admin.host, Self.bearer, "Content-Type: application/json"]
        let refused = try admin.send(words[0], words[1], fields, content: Array("{\"all\":true}".utf8))
        #expect(refused.status == 403 && refused.text.contains("admin-read-token-file"), "\(refused.text)")
        #expect(!refused.text.contains("before"))
        #expect(resource.latestResponse != nil)
        // The same with the admin token gets further.
        let allowed = try admin.send(words[0], words[1], [admin.host, TestAdmin.bearer])
        #expect(allowed.status != 403 && allowed.status != 401)
    }

    @Test("without a read token an empty one is not accepted, nor one that is nearly right")
    func nearly() throws {
        for admin in [try TestAdmin(), try Self.admin()] {
            for field in ["Authorization: Bearer ", "Authorization: Bearer \(Self.token)x"] {
                #expect(try admin.send("GET", "/metrics", [admin.host, field]).status == 401)
            }
        }
    }
}

/// The file of the token that only reads.
final class ReadTokenFileTests {
    private let temporary = TemporaryDirectory()
    private var path: String { temporary.path + "/read-token" }

    private func write(_ text: String, mode: mode_t = 0o640) throws {
        _ = try temporary.write(text, to: "read-token")
        chmod(path, mode)
    }

    private func fault() -> String? { AdminToken.faultForReaders(path) }

    @Test(
        "the file is read as its operator made it: a line of 16 characters, readable by its group",
        arguments: [0o600, 0o640, 0o440, 0o400]
    )
    func good(mode: mode_t) throws {
        try write("0123456789abcdef\nmore\n", mode: mode)
        #expect(try AdminToken.readForReaders(path, adminToken: "another") == "0123456789abcdef")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == mode)
    }

    @Test("others may neither read nor write it, its group may not write it", arguments: [0o644, 0o642, 0o660, 0o666])
    func tooOpen(mode: mode_t) throws {
        try write("0123456789abcdef\n", mode: mode)
        #expect(fault()?.contains("others may read or write it") == true)
    }

    @Test("a symbolic link is refused, wherever it leads")
    func link() throws {
        let other = try temporary.write("0123456789abcdef\n", to: "other")
        chmod(other, 0o600)
        symlink(other, path)
        #expect(fault()?.contains("it is a symbolic link; name the file itself") == true)
    }

    @Test("a directory and a pipe are refused, and nothing waits for the pipe")
    func noFile() {
        mkdir(path, 0o700)
        #expect(fault()?.contains("no regular file") == true)
        rmdir(path)
        mkfifo(path, 0o600)
        #expect(fault()?.contains("no regular file") == true)
    }

    @Test(
        "a missing file is not made, an empty one stays",
        arguments: [nil, "", "\n", "short\n", "0123456789 abcdef\n"]
    )
    func noToken(text: String?) throws {
        if let text { try write(text) }
        let fault = try #require(self.fault())
        #expect(fault.contains(path) && fault.contains("admin-read-token-file"), "\(fault)")
        #expect((access(path, F_OK) == 0) == (text != nil))
    }

    @Test("the admin token itself is refused, which would do more than read")
    func sameToken() throws {
        try write("0123456789abcdef\n")
        let failure = #expect(throws: AdminToken.Failure.self) {
            try AdminToken.readForReaders(path, adminToken: "0123456789abcdef")
        }
        #expect(failure?.userMessage.contains("it holds the admin token") == true)
    }

    @Test(
        "another user's file is refused, and one in a directory where others could replace it",
        .enabled(if: geteuid() == 0)
    )
    func foreign() throws {
        try write("0123456789abcdef\n")
        chown(path, 12345, 0)
        #expect(fault()?.contains("belongs to user 12345") == true)
        chown(path, 0, 0)
        #expect(fault() == nil)
        chmod(temporary.path, 0o777)
        #expect(fault()?.contains("everybody may write into the directory") == true)
    }
}
