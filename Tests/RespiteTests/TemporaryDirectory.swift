import Glibc

/// A directory that is removed with this object.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var name = Array("/tmp/respite-library-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { fatalError("no temporary directory") }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] { unlink(path + "/entities.db" + suffix) }
        rmdir(path)
    }
}
