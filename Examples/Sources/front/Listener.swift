import Dispatch
import Glibc

/// A call to the system that failed.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    /// - Parameter attempt: such as `cannot listen`.
    init(_ attempt: String) { description = "\(attempt): \(String(cString: strerror(errno)))" }
}

/// A socket that accepts connections on the loopback interface.
final class Listener: Sendable {
    /// Where clients reach it.
    let port: UInt16

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "listener")

    /// - Parameter port: 0 is any free one.
    init(port: UInt16) throws(SystemError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot make a socket") }
        do {
            self.port = try Self.bind(descriptor, port)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The next connection; nil once the listener has stopped.
    func next() async -> Connection? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.accept()) }
        }
    }

    /// Accepts nothing any more; ends a call of `next()` that waits.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func accept() -> Connection? {
        while true {
            let client = Glibc.accept(descriptor, nil, nil)
            if client >= 0 { return Connection(client) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // Until other connections end.
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(50_000)
            default: return nil
            }
        }
    }

    /// Listens on a port; returns which one it is.
    private static func bind(_ descriptor: Int32, _ port: UInt16) throws(SystemError) -> UInt16 {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, size) == 0 && listen(descriptor, SOMAXCONN) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isListening else { throw SystemError("cannot listen on port \(port)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
