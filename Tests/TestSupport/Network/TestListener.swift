import CLinux
import Glibc

/// A listening socket on loopback.
public final class TestListener: Sendable {
    public let descriptor: Int32
    public let port: UInt16

    /// Listens on `127.0.0.HOST`, on a free port unless one is given.
    public init(host: UInt8 = 1, port wanted: UInt16 = 0, backlog: Int32 = 1024) throws {
        descriptor = socket(AF_INET, streamType, 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let descriptor = descriptor
        guard withLoopback(host, port: wanted, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0
        else {
            throw HarnessError("listen: errno \(errno)")
        }
        port = localPort(of: descriptor)
    }

    deinit { close(descriptor) }

    /// The next connection; nil after `interrupt()`.
    public func accept(_ site: TestSite? = nil) -> TestSocket? {
        acceptDescriptor().map { TestSocket(adopting: $0, site: site) }
    }

    /// The next connection, which a test waits for no longer than for anything else.
    ///
    /// - Parameter what: for the error that is thrown after `seconds`.
    public func connection(_ what: String, seconds: Int = 120 * Sanitizer.patience) throws -> TestSocket {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(seconds * 1000)) > 0, let socket = accept() else {
            throw HarnessError("waited \(seconds) s in vain for \(what)")
        }
        return socket
    }

    /// The descriptor of the next connection; nil after `interrupt()`.
    func acceptDescriptor() -> Int32? {
        while true {
            let accepted = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            if accepted >= 0 { return accepted }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }

    /// Refuses connections from now on, and makes `accept()` return.
    public func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A port of 127.0.0.1 that nobody listens on; a different one with each call.
///
/// The system does not choose such a port by itself, so that no other test gets it meanwhile.
public func unusedPort() throws -> UInt16 {
    while true {
        let port = UInt16.random(in: 12_000..<32_000)
        guard givenPorts.update({ $0.insert(port).inserted }) else { continue }
        if (try? TestListener(port: port)) != nil { return port }
    }
}

private let givenPorts = SharedValue<Set<UInt16>>([])
