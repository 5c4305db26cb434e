import HTTPCore

/// Which name servers to ask, and how: from resolv.conf(5), or from the settings instead.
struct ResolverConfiguration: Sendable, Equatable {
    /// The C library asks as many.
    private static let serverLimit = 3

    var servers: [SocketAddress] = []
    /// Domains that are appended to a name with few dots.
    var domains: [String] = []
    /// A name with this many dots is first looked up unchanged.
    var dots = 1
    /// How long one try of one server may take; doubled with each round.
    var tryTime = Duration.seconds(2)
    var rounds = 2
    /// Whether the servers take turns at being asked first.
    var rotates = false
    var usesTCP = false

    init() {}

    /// Parses a resolv.conf; if it names no server, one on this machine is asked.
    init(parsing bytes: [UInt8]) {
        for words in FileWords.lines(of: bytes, comments: "#;") {
            switch words[0] {
            case "nameserver":
                guard servers.count < Self.serverLimit, words.count > 1 else { break }
                if let address = Self.address(words[1]) { servers.append(address) }
            case "domain", "search": domains = words.dropFirst().filter { $0 != "." }
            case "options": for option in words.dropFirst() { read(option) }
            default: break
            }
        }
        if servers.isEmpty { servers = [.ip(.v4(0x7F00_0001), port: 53)] }
    }

    /// Whether the servers are those of systemd-resolved, which knows all its own sources.
    var asksStub: Bool { servers.contains { $0.ipAddress == .v4(0x7F00_0035) || $0.ipAddress == .v4(0x7F00_0036) } }

    private mutating func read(_ option: String) {
        let parts = option.split(separator: ":", maxSplits: 1)
        let number = parts.count > 1 ? Int(parts[1]) : nil
        switch (parts.first, number) {
        case ("ndots", let number?): dots = min(max(0, number), 15)
        // A lost question is repeated sooner than by the C library, since a client waits.
        case ("timeout", let number?): tryTime = min(.seconds(max(1, number)), tryTime)
        case ("attempts", let number?): rounds = min(max(1, number), 5)
        case ("rotate", _): rotates = true
        case ("use-vc", _): usesTCP = true
        default: break
        }
    }

    private static func address(_ text: String) -> SocketAddress? {
        let parts = text.split(separator: "%", maxSplits: 1).map(String.init)
        guard let first = parts.first, let address = IPAddress(text: first) else { return nil }
        let scope = parts.count > 1 ? UInt32(parts[1]) ?? SystemFile.interfaceIndex(parts[1]) : 0
        return .ip(address, port: 53, scope: scope)
    }
}
