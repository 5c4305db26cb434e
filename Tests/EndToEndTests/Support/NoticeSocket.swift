import Glibc
import TestSupport

/// What a service manager listens on for notices of its services (sd_notify(3)).
final class NoticeSocket: Sendable {
    private let socket: TestSocket
    let path: String

    init(in directory: TemporaryDirectory) throws {
        path = directory.path + "/notify"
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

    /// The lines of the next notice that has one which begins with `start`.
    func next(_ start: String) throws -> [String] {
        while true {
            let text = String(decoding: try socket.receive(), as: UTF8.self)
            let lines = text.split(separator: "\n").map(String.init)
            if lines.contains(where: { $0.hasPrefix(start) }) { return lines }
        }
    }
}
