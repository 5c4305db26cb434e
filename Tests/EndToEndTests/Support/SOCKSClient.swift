import TestSupport

/// A connection to the daemon that is opened by SOCKS5.
struct SOCKSClient {
    let wire: WireClient
    /// The code of the reply; nil if the connection ended before.
    let reply: UInt8?

    /// Opens a connection to a host and a port, by its name or, if that is one, its IPv4 address.
    ///
    /// - Parameters:
    ///   - early: sent in one piece with the request.
    ///   - command: 1 is CONNECT.
    init(
        _ daemon: DaemonProcess,
        to host: String,
        _ port: UInt16,
        early: String = "",
        byName: Bool = false,
        command: UInt8 = 1
    ) throws {
        wire = try daemon.client()
        let numbers = host.split(separator: ".").compactMap { UInt8($0) }
        let isAddress = numbers.count == 4 && !byName
        let address = isAddress ? [1] + numbers : [3, UInt8(host.utf8.count)] + Array(host.utf8)
        let request = [5, command, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
        try wire.socket.send([5, 1, 0] + request + Array(early.utf8))
        guard try wire.reader.bytes(exactly: 2) == [5, 0] else { throw HarnessError("no SOCKS5") }
        reply = try? wire.reader.bytes(exactly: 10)[1]
    }
}
