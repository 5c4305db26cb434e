import Settings
import Testing

@testable import Commands

/// What each tool is told.
@Suite struct ToolVariablesTests {
    private static let endpoint = try? ProxyEndpoint(listeners: ["127.0.0.1:3128"])
    private static let trust = ClientVariables.Trust(certificate: "/ca.pem", bundle: "/all.pem")

    private static func variables(
        _ tool: ClientTool,
        _ answer: IndexAnswer,
        _ trust: ClientVariables.Trust? = nil
    ) throws -> ClientVariables {
        tool.variables(try #require(endpoint), trust, exceptions: "localhost", answer: answer)
    }

    private static func named(_ url: String) -> IndexAnswer { IndexAnswer(url, orElse: "wrong") }

    private static let proxy = [
        "http_proxy=http://127.0.0.1:3128", "https_proxy=http://127.0.0.1:3128", "HTTP_PROXY=http://127.0.0.1:3128",
        "HTTPS_PROXY=http://127.0.0.1:3128", "no_proxy=localhost", "NO_PROXY=localhost",
    ]

    private static func lines(_ variables: ClientVariables) -> [String] {
        variables.variables.map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "a tool with an index gets the index by the gateway",
        arguments: [
            (.pip, ["PIP_INDEX_URL"]), (.uv, ["UV_DEFAULT_INDEX", "UV_INDEX_URL"]),
            (.pnpm, ["npm_config_registry", "pnpm_config_registry"]),
        ] as [(ClientTool, [String])]
    )
    func index(tool: ClientTool, names: [String]) throws {
        let variables = try Self.variables(tool, Self.named("https://index.example/simple"), Self.trust)
        let url = "http://127.0.0.1:3128/https://index.example/simple"
        #expect(Self.lines(variables) == names.map { "\($0)=\(url)" } && variables.notes.isEmpty)
    }

    @Test("npm keeps the gateway out of its lock files, yarn allows plain text to it")
    func lockFiles() throws {
        let answer = Self.named("https://registry.example/")
        let url = "http://127.0.0.1:3128/https://registry.example/"
        #expect(
            Self.lines(try Self.variables(.npm, answer)) == [
                "npm_config_registry=\(url)", "npm_config_omit_lockfile_registry_resolved=true",
                "npm_config_replace_registry_host=registry.example",
            ]
        )
        #expect(
            Self.lines(try Self.variables(.yarn, answer)) == [
                "npm_config_registry=\(url)", "YARN_REGISTRY=\(url)", "YARN_NPM_REGISTRY_SERVER=\(url)",
                "YARN_UNSAFE_HTTP_WHITELIST=127.0.0.1",
            ]
        )
    }

    @Test("of Go's list each URL leads through the gateway, and words and separators stay")
    func list() throws {
        let indexes = ["https://a.example", "https://b.example"].compactMap { PackageIndexURL($0) }
        let answer = IndexAnswer.named(text: "https://a.example|https://b.example,direct", indexes)
        #expect(
            Self.lines(try Self.variables(.go, answer)) == [
                "GOPROXY=http://127.0.0.1:3128/https://a.example|http://127.0.0.1:3128/https://b.example,direct"
            ]
        )
    }

    @Test("cargo without an index uses the proxy, with one it is told what to write")
    func cargo() throws {
        let unknown = try Self.variables(.cargo, .unknown("it is not installed"), Self.trust)
        #expect(
            Self.lines(unknown) == ["CARGO_HTTP_PROXY=http://127.0.0.1:3128", "CARGO_HTTP_CAINFO=/all.pem"]
                && unknown.notes == ["it is not installed, so its requests are tunnels; `--index URL` names its index"]
        )
        #expect(Self.lines(try Self.variables(.cargo, .unknown("x"))) == ["CARGO_HTTP_PROXY=http://127.0.0.1:3128"])
        for url in ["https://index.example", "https://index.example/"] {
            let named = try Self.variables(.cargo, Self.named(url))
            #expect(
                named.variables.isEmpty
                    && named.notes == [
                        "Write to $CARGO_HOME/config.toml, since cargo has no variable for this:",
                        "[source.crates-io]", "replace-with = \"respite\"", "[source.respite]",
                        "registry = \"sparse+http://127.0.0.1:3128/https://index.example/\"",
                    ]
            )
        }
    }

    @Test("gem and Maven are told what to write")
    func files() throws {
        let gem = try Self.variables(.gem, Self.named("https://gems.example/"))
        let url = "http://127.0.0.1:3128/https://gems.example/"
        #expect(
            Self.lines(gem) == ["BUNDLE_MIRROR__ALL=\(url)"]
                && gem.notes == [
                    "Write to ~/.gemrc, since gem has no variable for this:", ":sources:", "- \(url)",
                ]
        )
        let index = try #require(PackageIndexURL("https://maven.example/m2"))
        let maven = try Self.variables(.mvn, .named(text: "cent<r>al-1_2.x (https://maven.example/m2)", [index]))
        #expect(
            maven.variables.isEmpty
                && maven.notes == [
                    "Maven cleans the gateway's URLs, so its repository needs a service; write to respite.toml",
                    "[service.maven]", "base = \"https://maven.example/m2/\"", "and to ~/.m2/settings.xml",
                    "<settings><mirrors><mirror>",
                    "<id>central-1_2.x</id><mirrorOf>central-1_2.x</mirrorOf><url>http://127.0.0.1:3128/maven/</url>",
                    "</mirror></mirrors></settings>",
                ]
        )
    }

    @Test(
        "a tool that only needs a proxy gets one, and the CA in the variable that it reads",
        arguments: [
            (.git, ["GIT_SSL_CAINFO=/all.pem"], []), (.curl, ["CURL_CA_BUNDLE=/all.pem"], []),
            (.wget, [], ["wget has no variable for CAs, only an option: --ca-certificate=/all.pem"]),
            (.python, ["SSL_CERT_FILE=/all.pem", "REQUESTS_CA_BUNDLE=/all.pem"], []),
        ] as [(ClientTool, [String], [String])]
    )
    func proxies(tool: ClientTool, more: [String], notes: [String]) throws {
        let with = try Self.variables(tool, .unknown("it has no package index"), Self.trust)
        #expect(Self.lines(with) == Self.proxy + more && with.notes == notes)
        let without = try Self.variables(tool, .unknown("it has no package index"))
        #expect(Self.lines(without) == Self.proxy && without.notes.isEmpty)
    }

    @Test("the rest has its own ways")
    func rest() throws {
        let unknown = IndexAnswer.unknown("x")
        let node = try Self.variables(.node, unknown, Self.trust)
        #expect(Self.lines(node) == Self.proxy + ["NODE_USE_ENV_PROXY=1", "NODE_EXTRA_CA_CERTS=/ca.pem"])
        #expect(Self.lines(try Self.variables(.node, unknown)) == Self.proxy + ["NODE_USE_ENV_PROXY=1"])
        for tool in [ClientTool.java, .gradle] {
            #expect(
                Self.lines(try Self.variables(tool, unknown)) == [
                    "JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 "
                        + "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128"
                ]
            )
        }
        let apt = try Self.variables(.apt, unknown, Self.trust)
        #expect(
            Self.lines(apt) == Self.proxy
                && apt.notes == [
                    "Write to /etc/apt/apt.conf.d/90respite for all users, since sudo removes the variables:",
                    "Acquire::http::Proxy \"http://127.0.0.1:3128\";",
                    "Acquire::https::Proxy \"http://127.0.0.1:3128\";",
                    "Acquire::https::CAInfo \"/all.pem\";",
                ]
        )
        #expect(try Self.variables(.apt, unknown).notes.count == 3)
        let docker = try Self.variables(.docker, unknown)
        #expect(docker.variables.isEmpty && docker.notes.count == 7)
        #expect(docker.notes.last == "{ \"registry-mirrors\": [\"http://registry.localhost:3128\"] }")
        for tool in [ClientTool.podman, .skopeo] {
            let variables = try Self.variables(tool, unknown)
            #expect(
                Self.lines(variables) == Self.proxy
                    && variables.notes == [
                        "\(tool) asks a registry by its own name: give it a service, see docs/package-managers.md"
                    ]
            )
        }
    }

    @Test("a tool whose index is unknown, or needs a password, stays as it is")
    func unchanged() throws {
        for tool in [ClientTool.pip, .uv, .npm, .pnpm, .yarn, .go] {
            #expect(tool.needsIndex)
            let unknown = try Self.variables(tool, .unknown("it is not installed"))
            #expect(
                unknown.variables.isEmpty
                    && unknown.notes == [
                        "it is not installed, so its requests are tunnels; `--index URL` names its index"
                    ]
            )
            let secret = try Self.variables(tool, Self.named("https://me:pass@index.example/"))
            #expect(secret.variables.isEmpty && secret.notes.count == 1)
            #expect(secret.notes.first?.hasSuffix("so it stays as it is, and its requests are tunnels") == true)
            #expect(secret.notes.first?.contains("pass@") == false)
        }
        for tool in [ClientTool.cargo, .gem, .mvn, .git, .apt, .node] { #expect(!tool.needsIndex) }
    }

    @Test("the index of an answer, whatever it is")
    func answers() throws {
        let index = try #require(PackageIndexURL("https://a.example/"))
        #expect(Self.named("https://a.example/") == .named(text: "https://a.example/", [index]))
        #expect(Self.named("https://a.example/").indexes == [index] && IndexAnswer.credential(index).indexes == [index])
        #expect(Self.named("nothing") == .unknown("wrong") && IndexAnswer.unknown("x").indexes.isEmpty)
    }

    @Test("a variable has one value, the last; a note is told once")
    func merging() {
        var variables = ClientVariables()
        variables["A"] = "1"
        variables["B"] = "2"
        variables["A"] = "3"
        variables.note("x", "y", "x")
        #expect(Self.lines(variables) == ["B=2", "A=3"] && variables.notes == ["x", "y"])
        variables["B"] = nil
        var others = ClientVariables()
        others["C"] = "4"
        others["A"] = "5"
        others.note("y", "z")
        variables.merge(others)
        #expect(Self.lines(variables) == ["C=4", "A=5"] && variables.notes == ["x", "y", "z"])
    }

    @Test("a variable that names a file already names its copy")
    func extended() {
        let trust = ClientVariables.Trust(certificate: "/ca", bundle: "/all", extended: ["A": "/copy"])
        #expect(trust.bundle(for: "A") == "/copy" && trust.certificate(for: "A") == "/copy")
        #expect(trust.bundle(for: "B") == "/all" && trust.certificate(for: "B") == "/ca")
    }

    @Test("shells set and remove variables, and JSON has them with the notes")
    func texts() {
        var variables = ClientVariables()
        variables["A"] = "it's"
        variables["B"] = "b"
        variables.note("n")
        #expect(VariablesText.posix.text(variables) == "export A='it'\\''s'\nexport B=b\n# n\n")
        #expect(VariablesText.fish.text(variables) == "set -gx A 'it\\'s'\nset -gx B 'b'\n# n\n")
        #expect(VariablesText.posix.unset(variables) == "unset A B\n")
        #expect(VariablesText.fish.unset(variables) == "set -e A B\n")
        #expect(VariablesText.posix.unset(ClientVariables()) == "" && VariablesText.fish.unset(ClientVariables()) == "")
        #expect(
            String(decoding: VariablesText.json(variables), as: UTF8.self)
                == "{\"variables\":{\"A\":\"it's\",\"B\":\"b\"},\"notes\":[\"n\"]}\n"
        )
    }
}
