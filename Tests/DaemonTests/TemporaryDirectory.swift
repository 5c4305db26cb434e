import Glibc

/// A directory of its own, removed with all in it at the end.
final class TemporaryDirectory {
    struct Failure: Error {}

    private let root: String

    init() throws {
        var template = Array("/tmp/respite-XXXXXX\0".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure() }
        root = String(cString: made)
    }

    deinit { Self.remove(root) }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name == "." || name == ".." { continue }
                let inner = "\(path)/\(name)"
                if unlink(inner) != 0 { remove(inner) }
            }
            closedir(directory)
        }
        rmdir(path)
    }

    /// Makes directories on the way to `name`, and that; returns its path.
    func directory(_ name: String) -> String {
        var path = root
        for part in name.split(separator: "/") {
            path += "/\(part)"
            mkdir(path, 0o700)
        }
        return path
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Makes a file with this text and mode, and returns its path.
    func file(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
        let descriptor = open(path(name), O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure() }
        return path(name)
    }
}
