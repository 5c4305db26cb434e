import JSON
import Testing

@testable import Commands
@testable import Terminal

/// The variables that point programs at the proxy.
@Suite struct ClientVariablesTests {
    @Test(
        "of several listeners a variable names one on a port, without TLS if there is one",
        arguments: [
            (["127.0.0.1:3128"], "http://127.0.0.1:3128"),
            (["unix:/run/a", "https://127.0.0.1:3443", "[::1]:80"], "http://[::1]:80"),
            (["https://192.0.2.1:3443"], "https://192.0.2.1:3443"),
            (["0.0.0.0:3128"], "http://127.0.0.1:3128"),
            (["127.0.0.1:0", "[::]:3128"], "http://[::1]:3128"),
        ] as [([String], String)]
    )
    func endpoints(listeners: [String], url: String) throws {
        #expect(try ProxyEndpoint(listeners: listeners).url == url)
    }

    @Test("a Unix socket alone, or a port that is still to be chosen, is nothing a variable can name")
    func nameless() {
        #expect(throws: CommandFailure.self) { try ProxyEndpoint(listeners: ["unix:/run/a", "127.0.0.1:0"]) }
        #expect(throws: CommandFailure.self) { try ProxyEndpoint(listeners: []) }
    }

    @Test(
        "a daemon without a forward proxy is wrongly set up for variables, and the message names the remedy",
        arguments: ["{}", "{\"forwardListeners\":[]}"]
    )
    func noForwardProxy(status: String) throws {
        let status = try JSONReader.parse(Array(status.utf8))
        let error = #expect(throws: CommandFailure.self) { try ProxyEndpoint(status: status) }
        #expect(error?.exitCode == 2 && error?.userMessage.contains("`routes` of a [[listener]]") == true)
    }

    @Test(
        "a shell takes values as they are",
        arguments: [
            ("http://127.0.0.1:3128", "http://127.0.0.1:3128"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
            ("$HOME;`x`", "'$HOME;`x`'"), ("~", "'~'"), ("a=b", "'a=b'"),
        ]
    )
    func quoting(text: String, quoted: String) { #expect(ShellText.quoted(text) == quoted) }

    @Test("hosts that are asked directly stay, and this machine is added")
    func exceptions() {
        #expect(ClientVariables.exceptions(nil, wanted: nil) == "localhost,127.0.0.1,::1")
        #expect(
            ClientVariables.exceptions("corp.example, localhost", wanted: nil) == "corp.example,localhost,127.0.0.1,::1"
        )
        #expect(ClientVariables.exceptions("corp.example", wanted: "") == "")
    }

    @Test("with a CA programs get a file with all authorities, those that add to their own the CA alone")
    func trust() throws {
        let endpoint = try ProxyEndpoint(listeners: ["127.0.0.1:1"])
        let trust = ClientVariables.Trust(certificate: "/ca.pem", bundle: "/bundle.pem")
        let with = ClientVariables.forAllPrograms(endpoint, trust, exceptions: "")
        let without = ClientVariables.forAllPrograms(endpoint, nil, exceptions: "")
        for name in ClientVariables.bundleNames { #expect(with[name] == "/bundle.pem" && without[name] == nil) }
        for name in ClientVariables.certificateNames { #expect(with[name] == "/ca.pem" && without[name] == nil) }
    }

    @Test("the default index is read from pip's help, over the end of a line too")
    func pipHelp() {
        let help = """
              -i, --index-url <url>       Base URL of the Python
                                          Package Index (default
                                          https://index.example/simple). This should
            """
        func index(_ help: String) -> String? {
            PackageIndex.defaultIndex(inHelp: help, option: "--index-url", mark: "(default")
        }
        #expect(index(help) == "https://index.example/simple")
        #expect(index("--index-url <url> (default: <https://a.example/>)") == "https://a.example/")
        #expect(index("--index-url <url>") == nil && index("") == nil && index("--index-url (default") == nil)
    }
}
