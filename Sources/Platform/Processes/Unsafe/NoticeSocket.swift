import CLinux
import LibC

/// A socket that sends datagrams to Unix sockets.
enum NoticeSocket {
    static func make() -> FileDescriptor? {
        let flags = respite_datagram | respite_nonblocking | respite_closed_on_exec
        let descriptor = socket(AF_UNIX, flags, 0)
        return descriptor >= 0 ? FileDescriptor(adopting: descriptor) : nil
    }

    /// Sends one datagram; false if the receiver did not accept it at once.
    ///
    /// - Parameter address: a path, or `@` and an abstract name; shorter than 108 bytes.
    static func send(_ bytes: [UInt8], descriptor: Int32, to address: String) -> Bool {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let path = Array(address.utf8)
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return false }
        let offset = MemoryLayout<sa_family_t>.size
        unsafe withUnsafeMutableBytes(of: &name) { raw in
            unsafe UnsafeMutableRawBufferPointer(rebasing: raw[offset...]).copyBytes(from: path)
            // The first byte of an abstract name is 0.
            if path.first == UInt8(ascii: "@") { unsafe raw[offset] = 0 }
        }
        let count = socklen_t(offset + path.count)
        let flags = Int32(MSG_NOSIGNAL)
        return unsafe withUnsafePointer(to: name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bytes.withUnsafeBytes { content in
                    unsafe sendto(descriptor, content.baseAddress, content.count, flags, address, count)
                        == content.count
                }
            }
        }
    }
}
