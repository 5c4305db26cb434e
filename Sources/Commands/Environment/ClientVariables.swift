/// The variables that make programs use the proxy, and notes about settings for which there is no variable.
struct ClientVariables: Equatable {
    /// Files with CAs, for programs that do not use the system's trust store.
    struct Trust: Equatable {
        /// Only our CA, for programs that add it to those they trust.
        var certificate: String
        /// The system's CAs and our own, for programs that read one file only.
        var bundle: String
        /// For variables that name a file already: the path of a copy with our CA.
        ///
        /// It is used instead of `certificate` and `bundle`.
        var extended: [String: String] = [:]

        func bundle(for name: String) -> String { extended[name] ?? bundle }
        func certificate(for name: String) -> String { extended[name] ?? certificate }
    }

    struct Variable: Equatable {
        var name: String
        var value: String
    }

    /// In the order in which they are printed.
    private(set) var variables: [Variable] = []
    /// Notes about settings for which there is no variable, a line each.
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

    // MARK: For all programs

    /// The variables that all programs get.
    ///
    /// They have both spellings: curl reads only `http_proxy` in lower case, and others read only upper case.
    /// `ALL_PROXY` is not set: it also applies to protocols that the proxy does not speak. Node uses a proxy only with
    /// `NODE_USE_ENV_PROXY`.
    static func forAllPrograms(
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
        result.note("Java reads only this variable: JAVA_TOOL_OPTIONS='\(javaOptions(endpoint))'")
        return result
    }

    /// The variables that name the proxy, for http and https.
    static func proxy(_ endpoint: ProxyEndpoint, exceptions: String) -> ClientVariables {
        var result = ClientVariables()
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"] { result[name] = endpoint.url }
        for name in ["no_proxy", "NO_PROXY"] { result[name] = exceptions }
        return result
    }

    /// Variables that name a bundle, which replaces the system's trust store.
    ///
    /// In this order they are for curl, OpenSSL (and so Python, Ruby, Go), Python's requests, pip, git, cargo and the
    /// AWS tools.
    static let bundleNames = [
        "CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
        "AWS_CA_BUNDLE",
    ]

    /// Variables that name a certificate, which Node and Deno add to those they trust.
    static let certificateNames = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

    /// - Parameter exceptions: the hosts that are asked directly, as in `no_proxy`; nil: Java's own.
    static func javaOptions(_ endpoint: ProxyEndpoint, exceptions: String? = nil) -> String {
        var options = ["http", "https"]
            .map { "-D\($0).proxyHost=\(endpoint.host) -D\($0).proxyPort=\(endpoint.port)" }
        if let exceptions {
            let hosts = exceptions.split(separator: ",").filter { !$0.contains { $0.isWhitespace || $0 == "|" } }
            let names = hosts.flatMap { $0.hasPrefix(".") ? ["*\($0)"] : ["\($0)", "*.\($0)"] }
            options.append("-Dhttp.nonProxyHosts=\(names.joined(separator: "|"))")
        }
        return options.joined(separator: " ")
    }

    /// The value of `no_proxy`: the hosts that it names already, and this machine, where the proxy itself runs.
    ///
    /// - Parameter wanted: replaces that value.
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
