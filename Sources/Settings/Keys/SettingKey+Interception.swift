import HTTPCore
import TOML

extension SettingKey {
    static let intercept: [SettingKey] = [
        SettingKey(
            "intercept.hosts",
            \.intercept.hosts,
            .list(of: .hostPattern),
            "Hosts whose TLS ends in Respite, so that it can cache: \"*.example.com\", \"api.example:8443\", \"{a,b}.example\"; needs `respite ca create`."
        ),
        SettingKey(
            "intercept.pass-through",
            \.intercept.passThrough,
            .list(of: .hostPattern),
            "Hosts that get blind tunnels although intercept.hosts names them, because their clients accept one certificate only."
        ),
        SettingKey(
            "intercept.pass-through-refused",
            \.intercept.passThroughRefused,
            .flag,
            "Whether a client that refuses our certificate for a host twice in ten minutes gets blind tunnels to it. Closing silently counts half."
        ),
        SettingKey(
            "intercept.pass-through-time",
            \.intercept.passThroughTime,
            .anyDuration,
            "How long intercept.pass-through-refused applies to a client and host."
        ),
        SettingKey(
            "intercept.ca-directory",
            \.intercept.caDirectory,
            .optional("", .path),
            "Directory of ca.pem and ca.key. Empty: respite/ca in the user's data directory, /var/lib/respite/ca for a service."
        ),
    ]
}

extension SettingType where Value == HostPattern {
    /// A pattern of names: without a port, and not every name.
    static var privateName: SettingType {
        let expected =
            "a name such as \"app.example\", or \"**.localtest.me\" (all names: `access.rebind-protection = \"off\"`)"
        return SettingType(
            name: "pattern of hosts",
            isText: true,
            parse: { (node) throws(SettingFault) -> HostPattern in
                let pattern = try hostPattern.parse(node)
                let isName = pattern.hosts.allSatisfy { host in
                    !host.hasPrefix("[") && IPAddress(host: Array(host.utf8).span) == nil
                }
                guard isName, !pattern.hasEveryHost, !pattern.hasPort else {
                    throw SettingFault(expected, insteadOf: node)
                }
                return pattern
            },
            format: { TOMLText.quoted($0.text) }
        )
        .withoutPort("a name leads to the same addresses for every port")
    }

    /// A pattern of our own names: without a port, and not every name, except by `*` alone.
    static var ownName: SettingType {
        SettingType(
            name: "pattern of hosts",
            isText: true,
            parse: { (node) throws(SettingFault) -> HostPattern in
                let pattern = try hostPattern.parse(node)
                if pattern.text == "*" { return pattern }
                guard !pattern.hasEveryHost else { throw everyName(node) }
                let isName = pattern.hosts.allSatisfy { host in
                    HostAndPort(text: host.replacing("*", with: "a")).map { $0.port == nil } ?? false
                }
                guard isName, !pattern.hasPort else {
                    let expected = "a name or pattern such as \"proxy.example\" or \"*.lan\", or \"*\" for every name"
                    throw SettingFault(expected, insteadOf: node)
                }
                return pattern
            },
            format: { TOMLText.quoted($0.text) }
        )
        .withoutPort("a name is good for every port")
    }

    private static func everyName(_ node: TOMLNode) -> SettingFault {
        SettingFault(
            message:
                "is for names of your own, and \(node.shown) fits every name: a web page could make its own name lead here "
                + "(DNS rebinding); only \"*\" alone opens a gateway to every name",
            position: node.position
        )
    }

    static var hostPattern: SettingType {
        SettingType(
            name: "pattern of hosts",
            isText: true,
            parse: { (node) throws(SettingFault) -> HostPattern in
                guard case .text(let text) = node.value else {
                    throw SettingFault("a pattern of hosts such as \"*.example.com\"", insteadOf: node)
                }
                do throws(URLGlob.SyntaxError) {
                    return try HostPattern(text)
                } catch {
                    throw SettingFault(
                        message: "has a wrong pattern, \(node.shown): \(error.message(in: text))",
                        position: node.position
                    )
                }
            },
            format: { TOMLText.quoted($0.text) }
        )
    }
}
