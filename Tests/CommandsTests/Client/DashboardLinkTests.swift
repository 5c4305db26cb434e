import Eventing
import HTTPCore
import Testing

@testable import Commands

/// The link that `respite dashboard` opens.
struct DashboardLinkTests {
    private static let code = String(repeating: "aZ0-_", count: 8) + "abc"
    private let port = SocketAddress.ip(.v4(0x7F00_0001), port: 3129)

    @Test("the link leads to where the request went, with the daemon's code (H-163)")
    func link() {
        let code = Self.code
        let answer = "http://127.0.0.1:3129/login#code=\(code)"
        #expect(DashboardCommand.link(answer, from: port) == answer)
        #expect(DashboardCommand.link("http://evil.example/login#code=\(code)", from: port) == answer)
        let six = SocketAddress.ip(.v6(0, 1), port: 3129)
        #expect(DashboardCommand.link(answer, from: six) == "http://[::1]:3129/login#code=\(code)")
        let socket = SocketAddress.unix(path: "/run/user/1000/respite/admin.socket")
        #expect(DashboardCommand.link(answer, from: socket) == answer)
    }

    @Test(
        "a false daemon opens nothing on the desktop: no file, no other scheme, no words beside the code (H-163)",
        arguments: [
            "file:///tmp/evil.desktop", "file:///tmp/evil.desktop/login#code=\(code)", "", "http://127.0.0.1:3129/",
            "http://127.0.0.1:3129/login#code=", "http://127.0.0.1:3129/login#code=\(code)x",
            "http://127.0.0.1:3129/login#code=\(code.dropLast())", "javascript:0/login#code=\(code)",
            "http://127.0.0.1:3129/login#code=\(code.dropLast())/",
            "http://127.0.0.1:3129/login#code=\(code.dropLast()) ",
            "http://127.0.0.1:3129/login#code=\(code)/login#code=\(code)",
            "http://127.0.0.1:3129/login#code=\(code.dropLast(2))é",
        ]
    )
    func falseDaemon(answer: String) {
        #expect(DashboardCommand.link(answer, from: port) == nil)
        #expect(DashboardCommand.link(answer, from: .unix(path: "/tmp/x")) == nil)
    }

    @Test(
        "from a socket, too, the link leads to an address and nothing else (H-163)",
        arguments: ["evil.example", "unix:/tmp/x", "127.0.0.1:3129@evil.example", "127.0.0.1:3129/x", ""]
    )
    func socket(authority: String) {
        let answer = "http://\(authority)/login#code=\(Self.code)"
        #expect(DashboardCommand.link(answer, from: .unix(path: "/tmp/x")) == nil)
    }
}
