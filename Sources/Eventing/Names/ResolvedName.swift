public import HTTPCore

/// The addresses of a name, and their source.
public struct ResolvedName: Sendable, Hashable {
    /// Where the addresses come from.
    public enum Source: Sendable, Hashable {
        /// The name is an address.
        case literal
        /// The settings (`[hosts]`).
        case override
        /// The name is `localhost` or below it: no source was asked.
        case localhost
        /// The hosts file of this machine.
        case hostsFile
        /// Name servers.
        case dns
        /// The C library, which does not report its source.
        case system
    }

    public var addresses: [IPAddress]
    public var source: Source
}

/// The client and page for which a name is looked up.
///
/// Their shares keep any of them from using up all look-ups.
public struct NameAsker: Sendable, Hashable {
    /// The client's address; nil if unknown, or for a Unix socket.
    public var client: IPAddress?
    /// The host of the page behind the request, in lower case; empty if there is none.
    public var page: [UInt8]

    public init(client: IPAddress? = nil, page: [UInt8] = []) {
        self.client = client
        self.page = page
    }

    /// The host of the page that an Origin or Referer field names; empty if it names none.
    public static func page(_ field: [UInt8]) -> [UInt8] {
        guard let scheme = field.firstIndex(of: 0x3A) else { return [] }
        let authority = field[scheme...].dropFirst().drop { $0 == 0x2F }.prefix {
            $0 != 0x2F && $0 != 0x3F && $0 != 0x23
        }
        return authority.count <= 300 ? authority.map(\.asciiLowercased) : []
    }
}
