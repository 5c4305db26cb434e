/// A program with its own way to configure a proxy.
enum ClientTool: String, CaseIterable {
    case pip, npm, cargo, go, git, apt, docker, curl, wget, python, node, java

    init(named name: String) throws(CommandFailure) {
        guard let tool = ClientTool(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                "`\(Console.printable(name))` is not a tool that Respite knows; the tools are \(names)",
                exitCode: 2
            )
        }
        self = tool
    }

    /// The variables that the tool needs.
    ///
    /// - Parameters:
    ///   - index: the URL of its package index; nil: ask the tool.
    ///   - packageIndex: asks the tool for the URL.
    func variables(
        _ endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        exceptions: String,
        index: String?,
        packageIndex: PackageIndex
    ) throws(CommandFailure) -> ClientVariables {
        var result = ClientVariables()
        switch self {
        case .pip:
            let index = if let index { index } else { try packageIndex.pip() }
            result["PIP_INDEX_URL"] = endpoint.prefixed(index)
        case .npm:
            let index = if let index { index } else { try packageIndex.npm() }
            result["npm_config_registry"] = endpoint.prefixed(index)
        case .go:
            let list = if let index { index } else { try packageIndex.go() }
            result["GOPROXY"] = Self.prefixed(list: list, endpoint)
        case .cargo:
            guard let index = index ?? packageIndex.cargo() else {
                result["CARGO_HTTP_PROXY"] = endpoint.url
                if let trust { result["CARGO_HTTP_CAINFO"] = trust.bundle(for: "CARGO_HTTP_CAINFO") }
                result.note("Without an index, cargo's https goes through tunnels; name the index with --index URL.")
                break
            }
            result.note(
                "Write to $CARGO_HOME/config.toml, since cargo has no variable for this:",
                "[source.crates-io]",
                "replace-with = \"respite\"",
                "[source.respite]",
                "registry = \"sparse+\(endpoint.prefixed(index))\""
            )
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
        case .java: result["JAVA_TOOL_OPTIONS"] = ClientVariables.javaOptions(endpoint)
        case .apt: result = Self.apt(endpoint, trust, exceptions)
        case .docker: result = Self.docker(endpoint, index)
        }
        return result
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

    private static func docker(_ endpoint: ProxyEndpoint, _ index: String?) -> ClientVariables {
        var result = ClientVariables()
        result.note(
            "Write to /etc/docker/daemon.json, since Docker's daemon does not have your variables:",
            "{ \"proxies\": { \"http-proxy\": \"\(endpoint.url)\", \"https-proxy\": \"\(endpoint.url)\" } }",
            "A registry mirror cannot have a path, so make it a service; write to respite.toml",
            "[service.registry]",
            "base = \"\(index ?? "https://registry.example")\"",
            "and to daemon.json",
            "{ \"registry-mirrors\": [\"http://registry.localhost:\(endpoint.port)\"] }"
        )
        return result
    }
}
