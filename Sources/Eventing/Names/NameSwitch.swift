/// The sources of names, from the line `hosts:` of nsswitch.conf(5).
struct NameSwitch: Sendable, Equatable {
    /// How to look a name up.
    enum Route: Sendable, Equatable {
        /// By our questions to name servers.
        case dns
        /// By the C library: only it knows some sources.
        case system
    }

    /// Whether /etc/hosts is a source.
    private(set) var readsHostsFile = true
    private var hasDNS = true
    /// Whether some source may know any name and only the C library can ask it.
    private var hasOtherSources = false
    /// Whether names without a dot may belong to this machine or its containers.
    private var knowsMachines = false
    private var hasResolved = false

    /// Parses an nsswitch.conf; without the line the sources are files and DNS.
    init(parsing bytes: [UInt8]) {
        let lines = FileWords.lines(of: bytes, comments: "#")
        guard let line = lines.first(where: { $0[0] == "hosts:" || $0[0].hasPrefix("hosts:") }) else { return }
        (readsHostsFile, hasDNS) = (false, false)
        var text = line.joined(separator: " ").dropFirst("hosts:".count)
        // Actions after a source, such as [NOTFOUND=return], matter only to the C library.
        while let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") {
            text = text[..<open] + " " + text[text.index(after: close)...]
        }
        for source in text.split(separator: " ") { add(source) }
    }

    private mutating func add(_ source: Substring) {
        switch source {
        case "files": readsHostsFile = true
        case "dns": hasDNS = true
        case "myhostname", "mymachines": knowsMachines = true
        case "resolve": hasResolved = true
        // These know only names below .local, which always go to the C library.
        case "mdns", "mdns4", "mdns6", "mdns_minimal", "mdns4_minimal", "mdns6_minimal": break
        default: hasOtherSources = true
        }
    }

    /// Decides how to look up `name`, which is in no hosts file.
    ///
    /// - Parameter asksStub: whether the name servers are systemd-resolved's own.
    func route(of name: String, asksStub: Bool) -> Route {
        if hasOtherSources || !readsHostsFile || name == "local" || name.hasSuffix(".local") { return .system }
        if knowsMachines, !name.contains(".") { return .system }
        if hasResolved { return asksStub ? .dns : .system }
        return hasDNS ? .dns : .system
    }
}
