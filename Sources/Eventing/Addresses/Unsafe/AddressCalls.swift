import CLinux
import LibC
public import HTTPCore

extension IPAddress {
    init(_ six: in6_addr) {
        let (high, low) = unsafe withUnsafeBytes(of: six) { raw in
            unsafe (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self = .v6(UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    var in6: in6_addr {
        guard case .v6(let high, let low) = self else { return in6_addr() }
        var six = in6_addr()
        unsafe withUnsafeMutableBytes(of: &six) { raw in
            unsafe raw.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe raw.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return six
    }

    /// The addresses of this machine's interfaces.
    public static func ofThisMachine() -> Set<IPAddress> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var addresses: Set<IPAddress> = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe SocketAddress(entry.pointee.ifa_addr)?.ipAddress { addresses.insert(address) }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }
}

extension SocketAddress {
    var family: Int32 {
        switch self {
        case .ip(.v4, _, _): AF_INET
        case .ip(.v6, _, _): AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Lends this address to a system call; returns nil if it does not fit (a long path).
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        var storage = sockaddr_storage()
        guard let count = fill(&storage) else { return nil }
        return unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, count) }
        }
    }

    private func fill(_ storage: inout sockaddr_storage) -> socklen_t? {
        switch self {
        case .ip(.v4(let bits), let port, _):
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            four.sin_addr.s_addr = bits.bigEndian
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ip(let address, let port, let scope):
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            six.sin6_addr = address.in6
            six.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let path):
            let bytes = Array(path.utf8)
            let offset = MemoryLayout<sa_family_t>.size
            guard bytes.count < 108, !bytes.contains(0) else { return nil }
            unsafe withUnsafeMutableBytes(of: &storage) { raw in
                unsafe raw.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                unsafe UnsafeMutableRawBufferPointer(rebasing: raw[offset...]).copyBytes(from: bytes)
            }
            return socklen_t(offset + bytes.count + 1)
        }
    }

    /// The address that a system call writes; nil if the call fails or the family is another.
    static func reading(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe call(address, &count) == 0 ? SocketAddress(address) : nil
            }
        }
    }

    /// Reads the address that the system wrote at `address`.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else { return nil }
        let raw = unsafe UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            self = .ip(.v4(UInt32(bigEndian: four.sin_addr.s_addr)), port: UInt16(bigEndian: four.sin_port), scope: 0)
        case AF_INET6:
            let six = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            self = unsafe .ip(
                IPAddress(six.sin6_addr),
                port: UInt16(bigEndian: six.sin6_port),
                scope: six.sin6_scope_id
            )
        case AF_UNIX:
            let path = unsafe UnsafeBufferPointer(
                start: (raw + MemoryLayout<sa_family_t>.size).assumingMemoryBound(to: UInt8.self),
                count: 108
            )
            self = .unix(path: unsafe String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
        default:
            return nil
        }
    }
}
