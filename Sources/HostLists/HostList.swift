public import HTTPCore

/// Names of hosts from a file, for a rule; never changes.
///
/// A look-up takes one step for each label of the host.
public final class HostList: Sendable {
    private let table: HostTable
    /// A digest of the text, under seeds of this process.
    private let digest: UInt64

    /// Reads the text of a file: see `HostListParser`.
    public init(parsing text: Span<UInt8>) throws(HostListFault) {
        var parser = HostListParser(text)
        try parser.parse(text)
        table = parser.finish()
        digest = text.hash(seeds: Self.seeds.0, Self.seeds.1)
    }

    public convenience init(parsing text: [UInt8]) throws(HostListFault) { try self.init(parsing: text.span) }

    private static let seeds: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max) | 1)

    /// How many different names it has.
    public var count: Int { table.count }
    /// The bytes of memory that the names take.
    public var memorySize: Int { table.size }

    /// Whether the host of `uri` is listed, at whatever port and with whatever scheme.
    public func contains(_ uri: TargetURI) -> Bool {
        let host = uri.bytes.span.extracting(uri.hostRange)
        guard !host.isEmpty else { return false }
        // An address is never below a name.
        if let address = IPAddress(host: host) { return contains(address) }
        // A dot at the end names the same host.
        let end = host.count > 1 && host[host.count - 1] == 0x2E ? host.count - 1 : host.count
        return contains(host.extracting(0..<end))
    }

    private func contains(_ address: IPAddress) -> Bool {
        let text = Array(address.unmapped.description.utf8)
        return table.kinds(of: text.span).contains(.itself)
    }

    /// - Parameter name: in lower case, without a dot at its end.
    private func contains(_ name: Span<UInt8>) -> Bool {
        if table.kinds(of: name).contains(.itself) { return true }
        guard table.kinds.contains(.below) else { return false }
        for index in 0..<name.count where name[index] == 0x2E {
            if table.kinds(of: name.extracting(index + 1..<name.count)).contains(.below) { return true }
        }
        return false
    }
}

extension HostList: Equatable {
    /// Whether both were read from the same text.
    public static func == (left: HostList, right: HostList) -> Bool {
        left === right || (left.digest == right.digest && left.count == right.count)
    }
}
