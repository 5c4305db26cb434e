import Glibc

extension IPAddress: CustomStringConvertible {
    /// Reads dotted decimal or the forms of RFC 4291 §2.2, without brackets and zone.
    public init?(text: String) {
        guard !text.utf8.contains(0) else { return nil }
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        var octets = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &octets) == 1 else { return nil }
        self.init(octets: octets)
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe inet_ntop(isIPv4 ? AF_INET : AF_INET6, octets, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
