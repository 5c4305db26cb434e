import CLinux
import LibC
import HTTPCore

/// The system's resolver: nsswitch, hosts file, DNS.
enum SystemNames {
    /// Looks a name up; blocks for as long as the system's resolver takes.
    static func lookUp(_ name: String) -> Result<[IPAddress], NameError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &first)
        guard code == 0 else { return .failure(NameError(code)) }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe SocketAddress(entry.pointee.ai_addr)?.ipAddress, !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(.notFound) : .success(addresses)
    }
}

extension NameError {
    /// Converts a code of `getaddrinfo`.
    fileprivate init(_ code: Int32) {
        // EAI_NODATA and EAI_ADDRFAMILY exist only in glibc.
        self =
            switch code {
            case EAI_NONAME, -5, -9: .notFound
            case EAI_AGAIN: .timeout
            default: .failed
            }
    }
}
