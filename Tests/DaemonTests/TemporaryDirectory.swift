import Glibc

/// A directory of its own, removed with its files at the end.
final class TemporaryDirectory {
    struct Failure: Error {}

    private let root: String

    init() throws {
        var template = Array("/tmp/respite-XXXXXX\0".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure() }
        root = String(cString: made)
    }

    deinit {
        if let directory = opendir(root) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(path(name))
            }
            closedir(directory)
        }
        rmdir(root)
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Makes a file with this text and mode, and returns its path.
    func file(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
        let descriptor = open(path(name), O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        let octets = Array(text.utf8)
        guard write(descriptor, octets, octets.count) == octets.count else { throw Failure() }
        return path(name)
    }
}
