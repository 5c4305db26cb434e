import HTTPCore

extension SettingKey {
    static let intercept: [SettingKey] = [
        SettingKey(
            "intercept.hosts",
            \.intercept.hosts,
            .list(of: .hostPattern),
            "Hosts whose TLS ends in Respite, so that it can cache: \"*.example.com\", \"api.example:8443\"; needs `respite ca create`."
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
                    throw SettingFault(message: "has a wrong pattern: \(error.userMessage)", position: node.position)
                }
            },
            format: { TOMLText.quoted($0.text) }
        )
    }
}
