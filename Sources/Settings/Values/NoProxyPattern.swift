public import HTTPCore

/// Hosts that are reached without a proxy: by us without the parent, by clients without us.
public enum NoProxyPattern: Sendable, Hashable {
    case everything
    /// A name and all names below it.
    case name(String)
    /// All names below a name, without the name itself.
    case below(String)
    /// Address literals; names are not looked up.
    case range(AddressRange)

    /// Reads `*`, `NAME`, `*.NAME` (also `.NAME`), an address or a range.
    init?(text: String) {
        if text == "*" {
            self = .everything
            return
        }
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if let range = AddressRange(text: bare) {
            self = .range(range)
            return
        }
        let lowered = text.lowercased()
        let rest = lowered.hasPrefix("*.") ? lowered.dropFirst(2) : lowered.hasPrefix(".") ? lowered.dropFirst() : nil
        let name = rest.map(String.init) ?? lowered
        guard HostName.isValid(name), name.utf8.last.map({ $0 < 0x30 || $0 > 0x39 }) ?? false else { return nil }
        self = rest == nil ? .name(name) : .below(name)
    }

    var text: String {
        switch self {
        case .everything: "*"
        case .name(let name): name
        case .below(let name): "*.\(name)"
        case .range(let range): range.description
        }
    }

    /// Whether one of `patterns` matches the host of a URI.
    public static func fits(_ patterns: [NoProxyPattern], _ host: [UInt8]) -> Bool {
        guard !patterns.isEmpty else { return false }
        var name = String(decoding: host, as: UTF8.self).lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        let address = IPAddress(text: name)
        if name.hasSuffix(".") { name.removeLast() }
        return patterns.contains { $0.fits(name, address) }
    }

    private func fits(_ host: String, _ address: IPAddress?) -> Bool {
        switch self {
        case .everything: true
        case .name(let name): address == nil && (host == name || host.hasSuffix("." + name))
        case .below(let name): address == nil && host.hasSuffix("." + name)
        case .range(let range): address.map(range.contains) ?? false
        }
    }
}
