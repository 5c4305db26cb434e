import JSON
import Settings
import Testing

@testable import Commands

/// What `respite show --as curl` prints.
@Suite struct CurlTextTests {
    private static func command(_ url: String, _ variant: String = "{}", hasProxy: Bool = true) throws -> String {
        let proxy = hasProxy ? try ProxyEndpoint(listeners: ["127.0.0.1:3128"]) : nil
        return CurlText.command(url, variant: try JSONReader.parse(Array(variant.utf8)), proxy)
    }

    @Test("http goes by the proxy, https by the gateway, both to the origin if no listener is a forward proxy")
    func routes() throws {
        #expect(try Self.command("http://h.example/") == "curl --proxy http://127.0.0.1:3128 http://h.example/")
        #expect(try Self.command("https://h.example/a") == "curl http://127.0.0.1:3128/https://h.example/a")
        #expect(try Self.command("https://h.example/a", hasProxy: false) == "curl https://h.example/a")
    }

    @Test(
        "fields that select are named: absent ones without a value, hidden ones as an ellipsis; a shell reads each as one word"
    )
    func fields() throws {
        let variant = #"{"selecting":[["accept-language","de, 'en'"],["accept",null],["cookie","…"],["odd"]]}"#
        #expect(
            try Self.command("http://h.example/?a=1&b=$HOME", variant)
                == "curl --proxy http://127.0.0.1:3128 -H 'accept-language: de, '\\''en'\\''' -H accept: -H 'cookie: …' "
                + "'http://h.example/?a=1&b=$HOME'"
        )
    }

    @Test("where only a part is stored, only that is asked for; nothing of a server reaches the terminal raw (H-159)")
    func parts() throws {
        let variant = #"{"extents":[{"first":0,"last":99}],"selecting":[["a","\u001b[2J"]]}"#
        #expect(
            try Self.command("http://h.example/", variant).hasSuffix(
                " -H 'a: \u{FFFD}[2J' --range 0-99 http://h.example/"
            )
        )
    }
}
