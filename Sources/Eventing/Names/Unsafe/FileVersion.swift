import CLinux
import LibC

/// Identifies one state of a file.
struct FileVersion: Sendable, Equatable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int64
    private var nanoseconds: Int64

    /// The state of the regular file at `path`; nil if there is no such file.
    init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}

/// Reads configuration files of the system.
enum SystemFile {
    /// Bytes beyond this limit are not read.
    ///
    /// Lists of blocked hosts make hosts files large.
    private static let limit = 16 << 20

    /// The bytes of the file at `path`; nil if it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe LibC.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// The index of the network interface `name`; 0 if there is none.
    static func interfaceIndex(_ name: String) -> UInt32 { unsafe if_nametoindex(name) }
}
