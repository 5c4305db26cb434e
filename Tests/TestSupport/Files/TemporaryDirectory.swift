import Glibc

/// A new directory for one test, removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() {
        var template = Array("/tmp/respite-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { preconditionFailure("no temporary directory: errno \(errno)") }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

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

    /// The path of a file or directory in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a directory, and those on the way to it, for the owner alone; returns its path.
    public func directory(_ name: String) -> String {
        var path = path
        for part in name.split(separator: "/") {
            path += "/\(part)"
            mkdir(path, 0o700)
        }
        return path
    }

    /// Makes or replaces a file, and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws(HarnessError) -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    /// Makes or replaces a file, and returns its path.
    ///
    /// A program is copied by another process. This one may fork on another thread while it has the program's file open. The
    /// child then has it open, too, until it runs a program of its own, and the start of ours fails with ETXTBSY.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o600) throws(HarnessError) -> String {
        guard mode & 0o111 != 0 else { return try fill(name, with: bytes, mode: mode) }
        let source = try fill("\(name).source", with: bytes, mode: mode)
        defer { unlink(source) }
        guard run("/bin/cp", ["-p", source, path(name)]) == 0 else { throw HarnessError("cp \(source) fails") }
        return path(name)
    }

    private func fill(_ name: String, with bytes: [UInt8], mode: UInt32) throws(HarnessError) -> String {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HarnessError("open \(name): errno \(errno)") }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw HarnessError("write \(name): errno \(errno)")
        }
        return path(name)
    }
}
