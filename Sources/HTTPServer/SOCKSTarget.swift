import HTTPCore

/// Where a client of SOCKS wants to be connected.
package struct SOCKSTarget: Equatable {
    /// As in the target of CONNECT: a name, or an address with the brackets of IPv6.
    package let host: [UInt8]
    /// Not 0.
    package let port: UInt16
    /// Whether the client gave an address, so that a name can be known only from what it sends.
    package let isAddress: Bool

    /// - Parameter address: 4 or 16 bytes, the most significant first.
    init?(address: Span<UInt8>, port: UInt16) {
        func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(address[$1]) } }
        let ip: IPAddress =
            address.count == 4 ? .v4(UInt32(number(0..<4))) : IPAddress.v6(number(0..<8), number(8..<16)).unmapped
        self.init(ip, port: port)
    }

    /// A name has letters, digits, `-`, `_` and dots; what is an address in letters is one.
    init?(name: Span<UInt8>, port: UInt16) {
        let bytes = [UInt8](copying: name)
        if let address = IPAddress(host: name) ?? IPAddress(text: String(decoding: bytes, as: UTF8.self)) {
            self.init(address.unmapped, port: port)
            return
        }
        guard port > 0, !bytes.isEmpty, bytes.allSatisfy(Self.isNameByte) else { return nil }
        self.init(host: bytes, port: port, isAddress: false)
    }

    private init?(_ address: IPAddress, port: UInt16) {
        guard port > 0 else { return nil }
        let text = address.isIPv4 ? "\(address)" : "[\(address)]"
        self.init(host: Array(text.utf8), port: port, isAddress: true)
    }

    private init(host: [UInt8], port: UInt16, isAddress: Bool) {
        self.host = host
        self.port = port
        self.isAddress = isAddress
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}

extension RequestHead {
    /// The CONNECT that means the same; nil if no resolver could read the host, such as `1.2.3`.
    init?(connectingTo target: SOCKSTarget) {
        let authority = target.host + Array(":\(target.port)".utf8)
        let text = Array("CONNECT ".utf8) + authority + Array(" HTTP/1.1\r\nHost: ".utf8) + authority
        let bytes = text + Array("\r\n\r\n".utf8)
        var parser = RequestParser()
        var head = RequestHead()
        guard case .complete = parser.parse(bytes.span, into: &head) else { return nil }
        self = head
    }
}
