@testable import CommandSyntax
import HTTPCore
import Platform
import Testing

@testable import Settings

/// Reads settings with the files they include.
private func load(_ text: String, files: [String]) throws -> LoadedSettings {
    var reader = SettingsReader()
    reader.read(Array(text.utf8), name: "/etc/respite/respite.toml")
    for (index, file) in files.enumerated() {
        reader.read(Array(file.utf8), name: reader.path(including: index), including: index)
    }
    return try reader.finish()
}

private func refusal(_ text: String, files: [String]) -> SettingsError? {
    do {
        _ = try load(text, files: files)
        return nil
    } catch {
        return error as? SettingsError
    }
}

@Suite struct IncludeTests {
    private let settings = """
        [[include]]
        file = "rules/one.toml"
        below = ["https://a.example/", "*://**.b.example:8443/sub"]
        [[rule]]
        match = "https://a.example/**"
        ttl = "2m"
        """

    @Test("included rules begin behind each server, ahead of the file's own rules, and are told with their own lines")
    func order() throws {
        let loaded = try load(
            settings,
            files: ["# why\n[[rule]]\nmatch = \"**/x-*.tgz\"\nttl = \"1m\"\n[[rule]]\nmatch = \"/y\"\n"]
        )
        #expect(
            loaded.values.rules.map(\.match) == [
                "https://a.example/**/x-*.tgz", "https://a.example/y", "*://**.b.example:8443/sub/**/x-*.tgz",
                "*://**.b.example:8443/sub/y", "https://a.example/**",
            ]
        )
        let file = "/etc/respite/rules/one.toml"
        #expect(loaded.origin(ofPath: "rule[0].ttl") == .file(path: file, line: 4, column: 1))
        #expect(loaded.origin(ofPath: "rule[2].ttl") == .file(path: file, line: 4, column: 1))
        #expect(loaded.origin(ofPath: "rule[4].ttl").description.hasPrefix("/etc/respite/respite.toml:6:"))
        #expect(loaded.values.locatedRules.count == 5)
    }

    @Test("an included file is found beside the settings file unless its path is absolute")
    func places() throws {
        var reader = SettingsReader()
        reader.read(
            Array(
                "include = [{ file = \"r.toml\", below = \"http://h.example/\" }, { file = \"/r.toml\", below = \"http://h.example/\" }]"
                    .utf8
            ),
            name: "/etc/respite/respite.toml"
        )
        #expect(reader.path(including: 0) == "/etc/respite/r.toml")
        #expect(reader.path(including: 1) == "/r.toml")
    }

    @Test(
        "what an included file may not hold is told with its place there",
        arguments: [
            ("loops = 3", "an included file holds [[rule]]s and nothing else", 1),
            ("[[rule]]\nttl = \"1m\"", "a rule needs `match`", 1),
            ("\n[[rule]]\nmatch = \"https://a.example/\"", "path pattern", 3),
            ("[[rule]]\nmatch = \"/x\"\ntttl = 0", "unknown setting `rule.tttl`", 3),
            ("[[rule", "", 1),
        ]
    )
    func faults(_ file: String, _ message: String, _ line: Int) throws {
        let error = try #require(refusal(settings, files: [file]))
        #expect(error.source == "/etc/respite/rules/one.toml")
        #expect(error.line == line)
        #expect(message.isEmpty || error.userMessage.contains(message))
    }

    @Test(
        "an include that names no file or no servers is refused",
        arguments: [
            ("[[include]]\nbelow = \"https://a.example/\"", "an include needs `file`"),
            ("[[include]]\nfile = \"x\"", "an include needs `below`"),
            ("[[include]]\nfile = \"x\"\nbelow = \"/path\"", "URL pattern"),
            ("[[include]]\nfile = \"x\"\nbelow = \"https://a.example/?x\"", "URL pattern"),
            ("[[include]]\nfil = \"x\"", "unknown setting `include.fil`"),
            ("include = 3", "write [[include]]"),
        ]
    )
    func faultyIncludes(_ text: String, _ message: String) throws {
        let error = try #require(refusal(text, files: []))
        #expect(error.userMessage.contains(message), "\(error)")
    }

    @Test("a file that cannot be read is told at the include that names it")
    func missing() throws {
        let command = try ParsedCommand.parse([
            "serve", "--set", "include=[{file=\"/nowhere/rules.toml\",below=\"https://a.example/\"}]",
        ])
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings.load(command, context: ProcessContext(environment: [:], isRoot: false))
        }
        #expect(error?.userMessage.contains("/nowhere/rules.toml cannot be read") == true)
    }

    @Test("included rules stand in a listing as rules, so that it is a file that gives the same")
    func listing() throws {
        let loaded = try load(settings, files: ["[[rule]]\nmatch = \"/y\"\nttl = \"1m\"\n"])
        let text = SettingsDocument.listing(loaded)
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "listing")
        #expect(try reader.finish().values == loaded.values)
        #expect(text.contains("/etc/respite/rules/one.toml:"))
    }

    // MARK: The rules that come with respite

    private static func readyMade(_ name: String) throws -> LoadedSettings {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let file = String(decoding: try SmallFile.read("\(root)/etc/rules/\(name).toml", limit: 1 << 20), as: UTF8.self)
        let below = "below = [\"https://a.example/\", \"https://b.example:8443/sub/\"]"
        return try load("[[include]]\nfile = \"x\"\n\(below)", files: [file])
    }

    @Test(
        "ready-made rules know what never changes by the shape of its path, below any server",
        arguments: [
            ("pip", "packages/ab/cd/0123/name-1.0-py3-none-any.whl", true), ("pip", "simple/name/", false),
            ("npm", "name/-/name-1.0.0.tgz", true), ("npm", "@scope/name/-/name-1.0.0.tgz", true),
            ("npm", "name", false),
            ("go", "test.example/m/@v/v1.2.3.zip", true), ("go", "test.example/m/@v/v1.2.3-0.2026-abcdef.info", true),
            ("go", "test.example/m/@v/main.info", false), ("go", "test.example/m/@v/v1.info", false),
            ("go", "test.example/m/@v/list", false), ("go", "test.example/m/@latest", false),
            ("cargo", "crates/name/1.0.0/download", true), ("cargo", "na/me/name", false),
            ("cargo", "config.json", false),
            ("apt", "debian/pool/main/a/a_1.0_all.deb", true), ("apt", "debian/dists/x/main/by-hash/SHA256/ab", true),
            ("apt", "debian/dists/x/InRelease", false), ("apt", "debian/dists/x/main/binary-all/Packages.xz", false),
            ("oci", "v2/team/name/blobs/sha256:ab", true), ("oci", "v2/team/name/manifests/sha256:ab", true),
            ("oci", "v2/name/manifests/latest", false), ("oci", "v2/", false),
            ("oci", "token?service=s&scope=repository:a:pull", false),
        ]
    )
    func readyMade(name: String, path: String, isForEver: Bool) throws {
        let rules = try Self.readyMade(name).values.locatedRules
        for base in ["https://a.example/", "https://b.example:8443/sub/"] {
            let uri = try TargetURI(parsing: base + path)
            let lifetimes = rules.filter { $0.applies(to: uri, .get, owner: nil) }.flatMap { rule in
                [rule.settings.ttl].compactMap { $0 }
                    + rule.settings.ttlByStatus.filter { $0.statuses.contains(200) }.map(\.ttl)
            }
            #expect((lifetimes.last == .seconds(365 * 86_400)) == isForEver, "\(uri.text)")
        }
        let foreign = try TargetURI(parsing: "https://c.example/" + path)
        #expect(!rules.contains { $0.applies(to: foreign, .get, owner: nil) })
    }

    @Test(
        "ready-made rules for questions know them by the shape of their path, below any server (C-24.7)",
        arguments: [
            ("openai", "v1/chat/completions", true), ("openai", "completions", true), ("openai", "responses", true),
            ("openai", "deployments/name/embeddings?api-version=1", true), ("openai", "v1/files", false),
            ("openai", "v1/responses/resp_1/cancel", false), ("openai", "v1/images/generations", false),
            ("anthropic", "v1/messages", true), ("anthropic", "v1/messages?beta=true", true),
            ("anthropic", "v1/messages/count_tokens", true), ("anthropic", "v1/messages/batches", false),
            ("ollama", "api/chat", true), ("ollama", "api/generate", true), ("ollama", "api/embed", true),
            ("ollama", "api/pull", false), ("graphql", "graphql", true), ("graphql", "api/graphql", true),
            ("graphql", "graphql/upload", false), ("elasticsearch", "_search", true),
            ("elasticsearch", "books,other/_search?preference=a", true), ("elasticsearch", "books/_count", true),
            ("elasticsearch", "_msearch", true), ("elasticsearch", "books/_search?size=1&scroll=1m", false),
            ("elasticsearch", "_search/scroll", false), ("elasticsearch", "books/_doc", false),
            ("elasticsearch", "_bulk", false), ("elasticsearch", "books/_async_search", false),
        ]
    )
    func questions(name: String, path: String, isKeyed: Bool) throws {
        let rules = try Self.readyMade(name).values.locatedRules
        for base in ["https://a.example/", "https://b.example:8443/sub/"] {
            let uri = try TargetURI(parsing: base + path)
            let last = rules.last { $0.applies(to: uri, .post, owner: nil) && $0.settings.keyBody != nil }
            #expect((last?.settings.keyBody ?? .off != .off) == isKeyed, "\(uri.text)")
            #expect(!rules.contains { $0.applies(to: uri, .get, owner: nil) })
            guard isKeyed else { continue }
            // Failures have no lifetime, and these responses state none.
            let statuses = last?.settings.ttlByStatus.map(\.statuses)
            #expect(statuses == [200...200] && last?.settings.ttl == nil)
        }
        let foreign = try TargetURI(parsing: "https://c.example/" + path)
        #expect(!rules.contains { $0.applies(to: foreign, .post, owner: nil) })
    }
}
