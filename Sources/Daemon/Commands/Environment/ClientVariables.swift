/// The variables that point programs at the proxy, and what to say besides.
struct ClientVariables: Equatable {
    /// Files of authorities for programs that do not ask the system.
    struct Trust: Equatable {
        /// Our CA alone, for what adds it to its own.
        var certificate: String
        /// All that the system trusts and our CA, for what knows one file only.
        var bundle: String
        /// In the place of both, for variables that name a file already: that with our CA.
        var own: [String: String] = [:]

        func bundle(for name: String) -> String { own[name] ?? bundle }
        func certificate(for name: String) -> String { own[name] ?? certificate }
    }

    struct Variable: Equatable {
        var name: String
        var value: String
    }

    /// In the order in which they are shown.
    private(set) var variables: [Variable] = []
    /// What no variable can say, a line each.
    private(set) var notes: [String] = []

    subscript(name: String) -> String? {
        get { variables.first { $0.name == name }?.value }
        set {
            variables.removeAll { $0.name == name }
            if let newValue { variables.append(Variable(name: name, value: newValue)) }
        }
    }

    mutating func note(_ lines: String...) {
        for line in lines where !notes.contains(line) { notes.append(line) }
    }

    mutating func merge(_ others: ClientVariables) {
        for variable in others.variables { self[variable.name] = variable.value }
        for note in others.notes { self.note(note) }
    }

    // MARK: For everything

    /// What each program that heeds variables finds.
    ///
    /// Both spellings, since curl reads `http_proxy` in lower case only and others the upper case only. `ALL_PROXY` stays as it
    /// is: it would also catch protocols that are none of ours. Node heeds proxies if `NODE_USE_ENV_PROXY` says so.
    static func forEverything(
        _ endpoint: ProxyEndpoint,
        _ trust: Trust?,
        exceptions: String
    ) -> ClientVariables {
        var result = proxy(endpoint, exceptions: exceptions)
        result["NODE_USE_ENV_PROXY"] = "1"
        if let trust {
            for name in bundleNames { result[name] = trust.bundle(for: name) }
            for name in certificateNames { result[name] = trust.certificate(for: name) }
        }
        result.note("Java reads no variables but this one: JAVA_TOOL_OPTIONS='\(javaOptions(endpoint))'")
        return result
    }

    /// The proxy, for http and https.
    static func proxy(_ endpoint: ProxyEndpoint, exceptions: String) -> ClientVariables {
        var result = ClientVariables()
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"] { result[name] = endpoint.url }
        for name in ["no_proxy", "NO_PROXY"] { result[name] = exceptions }
        return result
    }

    /// Each is read by curl, OpenSSL (hence Python, Ruby, Go), Python's requests, pip, git, cargo and the AWS tools in turn, and
    /// takes the place of what the system trusts.
    static let bundleNames = [
        "CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
        "AWS_CA_BUNDLE",
    ]

    /// Read by Node and Deno beside what they trust.
    static let certificateNames = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

    static func javaOptions(_ endpoint: ProxyEndpoint) -> String {
        ["http", "https"].map { "-D\($0).proxyHost=\(endpoint.host) -D\($0).proxyPort=\(endpoint.port)" }
            .joined(separator: " ")
    }

    /// The hosts that are asked directly: those there are, and this machine, which includes the proxy itself.
    static func exceptions(_ present: String?, wanted: String?) -> String {
        if let wanted { return wanted }
        var hosts = (present ?? "").split(separator: ",").map { $0.trimming { $0 == " " } }.filter { !$0.isEmpty }
        for host in ["localhost", "127.0.0.1", "::1"] where !hosts.contains(Substring(host)) {
            hosts.append(Substring(host))
        }
        return hosts.joined(separator: ",")
    }
}

extension Substring {
    fileprivate func trimming(_ isSpace: (Character) -> Bool) -> Substring {
        var text = self.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
