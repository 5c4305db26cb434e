import HTTPCore
import TransportSecurity

extension NameConstraints {
    /// Whether the authority may sign for all hosts that a pattern matches.
    func cover(_ pattern: HostPattern) -> Bool { pattern.hosts.allSatisfy(cover) }

    private func cover(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let star = labels.lastIndex(where: { $0.contains("*") }) else {
            // A host that certificates cannot name gets none, so it does not count.
            return ServerName(host: Array(host.utf8)).map { permits($0) } ?? true
        }
        let below = labels[(star + 1)...].joined(separator: ".")
        return !below.isEmpty && permitsAll(below: Array(below.utf8))
    }
}
