/// The sources of names: the line `hosts:` of nsswitch.conf(5).
struct NameSwitch: Sendable, Equatable {
    /// How a name is looked up.
    enum Route: Sendable, Equatable {
        /// By our questions to name servers.
        case dns
        /// By the C library, which alone knows some sources.
        case system
    }

    /// Whether /etc/hosts is among the sources.
    private(set) var readsHostsFile = true
    private var hasDNS = true
    /// Whether there is a source that only the C library can ask and that may know any name.
    private var hasOthers = false
    /// Whether names without a dot may be those of this machine or its containers.
    private var knowsMachines = false
    private var hasResolved = false

    /// Reads the bytes of an nsswitch.conf; without the line the sources are files and DNS.
    init(parsing bytes: [UInt8]) {
        let lines = FileWords.lines(of: bytes, comments: "#")
        guard let line = lines.first(where: { $0[0] == "hosts:" || $0[0].hasPrefix("hosts:") }) else { return }
        (readsHostsFile, hasDNS) = (false, false)
        var text = line.joined(separator: " ").dropFirst("hosts:".count)
        // Actions behind a source, such as [NOTFOUND=return], concern the C library alone.
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
        default: hasOthers = true
        }
    }

    /// How `name`, which is in no hosts file, is looked up.
    ///
    /// - Parameter asksStub: whether the name servers are systemd-resolved's own.
    func route(of name: String, asksStub: Bool) -> Route {
        if hasOthers || !readsHostsFile || name == "local" || name.hasSuffix(".local") { return .system }
        if knowsMachines, !name.contains(".") { return .system }
        if hasResolved { return asksStub ? .dns : .system }
        return hasDNS ? .dns : .system
    }
}
