import CommandSyntax
import Settings
import Terminal

/// A program with its own way to configure a proxy or a package index.
enum ClientTool: String, CaseIterable {
    case pip, uv, npm, yarn, pnpm, cargo, go, git, apt, gem, mvn, gradle, docker, skopeo, podman, curl, wget, python
    case node, java

    /// The variables that the tool needs, and notes about what has no variable.
    ///
    /// - Parameter answer: what the tool reports about its package index.
    func variables(
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        exceptions: String,
        answer: IndexAnswer
    ) -> ClientVariables {
        var result = ClientVariables()
        guard let index = index(answer, endpoint, &result) else { return result }
        switch self {
        case .pip: result["PIP_INDEX_URL"] = index
        case .uv: for name in ["UV_DEFAULT_INDEX", "UV_INDEX_URL"] { result[name] = index }
        case .npm:
            result["npm_config_registry"] = index
            // Else package-lock.json would name the gateway.
            result["npm_config_omit_lockfile_registry_resolved"] = "true"
            // And URLs of the registry in one that exists lead through the gateway.
            if let host = answer.indexes.first?.bareHost { result["npm_config_replace_registry_host"] = host }
        case .pnpm: for name in ["npm_config_registry", "pnpm_config_registry"] { result[name] = index }
        case .yarn:
            for name in ["npm_config_registry", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER"] { result[name] = index }
            result["YARN_UNSAFE_HTTP_WHITELIST"] = endpoint.host
        case .go: result["GOPROXY"] = index
        case .cargo:
            if case .unknown = answer {
                result["CARGO_HTTP_PROXY"] = endpoint.url
                if let trust { result["CARGO_HTTP_CAINFO"] = trust.bundle(for: "CARGO_HTTP_CAINFO") }
            } else {
                result.note("Write to $CARGO_HOME/config.toml, since cargo has no variable for this:")
                for line in Self.cargoSettings(index) { result.note(line) }
            }
        case .gem:
            result["BUNDLE_MIRROR__ALL"] = index
            result.note("Write to ~/.gemrc, since gem has no variable for this:")
            for line in Self.gemSettings(index) { result.note(line) }
        case .mvn:
            result.note("Maven cleans the gateway's URLs, so its repository needs a service; write to respite.toml")
            result.note(
                "[service.maven]",
                "base = \"\(answer.indexes.first?.directory ?? "")\"",
                "and to ~/.m2/settings.xml"
            )
            for line in Self.mavenSettings(answer, endpoint.url + "/maven/") { result.note(line) }
        case .git:
            result = .proxy(endpoint, exceptions: exceptions)
            if let trust { result["GIT_SSL_CAINFO"] = trust.bundle(for: "GIT_SSL_CAINFO") }
        case .curl:
            result = .proxy(endpoint, exceptions: exceptions)
            if let trust { result["CURL_CA_BUNDLE"] = trust.bundle(for: "CURL_CA_BUNDLE") }
        case .wget:
            result = .proxy(endpoint, exceptions: exceptions)
            if let trust {
                result.note("wget has no variable for CAs, only an option: --ca-certificate=\(trust.bundle)")
            }
        case .python:
            result = .proxy(endpoint, exceptions: exceptions)
            if let trust {
                for name in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"] { result[name] = trust.bundle(for: name) }
            }
        case .node:
            result = .proxy(endpoint, exceptions: exceptions)
            result["NODE_USE_ENV_PROXY"] = "1"
            if let trust { result["NODE_EXTRA_CA_CERTS"] = trust.certificate(for: "NODE_EXTRA_CA_CERTS") }
        case .java, .gradle: result["JAVA_TOOL_OPTIONS"] = ClientVariables.javaOptions(endpoint)
        case .apt: result = Self.apt(endpoint, trust, exceptions)
        case .docker: result = Self.docker(endpoint)
        case .skopeo, .podman:
            result = .proxy(endpoint, exceptions: exceptions)
            result.note("\(self) asks a registry by its own name: give it a service, see docs/package-managers.md")
        }
        return result
    }

    /// Whether there is nothing to set without an index.
    var needsIndex: Bool { [.pip, .uv, .npm, .yarn, .pnpm, .go].contains(self) }

    /// The URL of the package index by the gateway, in the form that the tool accepts.
    ///
    /// Returns an empty text for tools without an index, and nil if the tool must stay as it is.
    private func index(
        _ answer: IndexAnswer,
        _ endpoint: ProxyEndpoint,
        _ result: inout ClientVariables
    ) -> String? {
        switch answer {
        case .named(let text, _) where self == .go: return Self.prefixed(list: text, endpoint)
        case .named(_, let indexes): return indexes.first.map { endpoint.prefixed($0.text) } ?? ""
        case .credential(let index):
            result.note(
                "\(self) has a password or token for \(index.text), which no other URL may get: so it stays as it is, and "
                    + "its requests are tunnels"
            )
            return nil
        case .unknown(let reason):
            guard [.pip, .uv, .npm, .pnpm, .yarn, .go, .cargo, .gem, .mvn].contains(self) else { return "" }
            result.note("\(reason), so its requests are tunnels; `--index URL` names its index")
            return self == .cargo ? "" : nil
        }
    }

    /// Rewrites a list whose members are separated by commas and bars.
    ///
    /// Some members are words such as `direct`.
    private static func prefixed(list: String, _ endpoint: ProxyEndpoint) -> String {
        var result = ""
        var member = ""
        for character in list + "," {
            guard character == "," || character == "|" else {
                member.append(character)
                continue
            }
            result += member.hasPrefix("http") ? endpoint.prefixed(member) : member
            result.append(character)
            member = ""
        }
        return String(result.dropLast())
    }

    // MARK: Files

    /// Settings of cargo.
    static func cargoSettings(_ index: String) -> [String] {
        [
            "[source.crates-io]", "replace-with = \"respite\"", "[source.respite]",
            "registry = \"sparse+\(index.hasSuffix("/") ? index : index + "/")\"",
        ]
    }

    /// Settings of gem.
    static func gemSettings(_ index: String) -> [String] { [":sources:", "- \(index)"] }

    /// Settings of Maven.
    ///
    /// The mirror has the name of the repository, so that Maven takes what it fetched for that of the repository.
    static func mavenSettings(_ answer: IndexAnswer, _ mirror: String) -> [String] {
        guard case .named(let text, _) = answer else { return [] }
        let name = text.prefix { $0 != " " }.filter { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        return [
            "<settings><mirrors><mirror>",
            "<id>\(name)</id><mirrorOf>\(name)</mirrorOf><url>\(mirror)</url>",
            "</mirror></mirrors></settings>",
        ]
    }

    private static func apt(
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        _ exceptions: String
    ) -> ClientVariables {
        var result = ClientVariables.proxy(endpoint, exceptions: exceptions)
        result.note(
            "Write to /etc/apt/apt.conf.d/90respite for all users, since sudo removes the variables:",
            "Acquire::http::Proxy \"\(endpoint.url)\";",
            "Acquire::https::Proxy \"\(endpoint.url)\";"
        )
        if let trust { result.note("Acquire::https::CAInfo \"\(trust.bundle)\";") }
        return result
    }

    private static func docker(_ endpoint: ProxyEndpoint) -> ClientVariables {
        var result = ClientVariables()
        result.note(
            "Write to /etc/docker/daemon.json, since Docker's daemon does not have your variables:",
            "{ \"proxies\": { \"http-proxy\": \"\(endpoint.url)\", \"https-proxy\": \"\(endpoint.url)\" } }",
            "A registry mirror cannot have a path, so make it a service; write to respite.toml",
            "[service.registry]",
            "base = \"https://registry.example\"",
            "and to daemon.json",
            "{ \"registry-mirrors\": [\"http://registry.localhost:\(endpoint.port)\"] }"
        )
        return result
    }
}

extension RecognizedTool {
    /// Reads the value of `--for`: a name, a path, or words such as `python3 -m pip`.
    init(named text: String) throws(CommandFailure) {
        let words = text.split(separator: " ").map(String.init)
        if let tool = ToolRecognition.tool(words[...]) {
            self = tool
        } else if let tool = ClientTool(rawValue: text) {
            self.init(tool: tool, program: [text], arguments: nil)
        } else {
            let names = ClientTool.allCases.map(\.rawValue)
            let nearest = NearestName.find(text, in: names).map { "; did you mean `\($0)`?" } ?? ""
            throw CommandFailure(
                "`\(Console.printable(text))` is not a tool that Respite knows; the tools are "
                    + "\(names.joined(separator: ", "))\(nearest)",
                exitCode: 2
            )
        }
    }
}
