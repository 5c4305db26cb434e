import CLinux
import Glibc

/// What a service manager listens on for notices of its services (sd_notify(3)).
public final class NoticeSocket: Sendable {
    private let socket: TestSocket
    private let directory: TemporaryDirectory
    public let path: String

    public init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        path = directory.path("notify")
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        socket = TestSocket(adopting: descriptor)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw HarnessError("bind \(path): errno \(errno)") }
    }

    /// Whether a notice has come that was not asked for yet.
    public var hasNotice: Bool { socket.hasReceived }

    /// The lines of the next notice; waits for it.
    public func next() throws -> [String] {
        String(decoding: try socket.receive(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The lines of the next notice that has one which begins with `start`.
    public func next(_ start: String) throws -> [String] {
        while true {
            let lines = try next()
            if lines.contains(where: { $0.hasPrefix(start) }) { return lines }
        }
    }
}
