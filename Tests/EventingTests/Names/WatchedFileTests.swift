import Glibc
import TestSupport
import Testing

@testable import Eventing

@Suite struct WatchedFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let file: WatchedFile<String>

    init() {
        directory = TemporaryDirectory()
        path = directory.path + "/file"
        file = WatchedFile(path) { String(decoding: $0, as: UTF8.self) }
    }

    private func replace(with content: String) throws {
        try directory.write(content, to: "new")
        #expect(rename(directory.path + "/new", path) == 0)
    }

    @Test("the content is that of the file as it is now, and empty while there is none")
    func follows() throws {
        #expect(file.value().isEmpty)
        for content in ["one", "another", ""] {
            try replace(with: content)
            #expect(file.value() == content)
        }
        try replace(with: "again")
        #expect(file.value() == "again")
        unlink(path)
        #expect(file.value().isEmpty)
    }

    @Test("a file that is there and cannot be read keeps its content, and is read as soon as that works")
    func unreadable() throws {
        // A regular file that opens, and fails to read at its first byte.
        let broken = "/proc/self/mem"
        #expect(symlink(broken, path) == 0 && FileVersion(of: path) != nil && SystemFile.read(path) == nil)
        #expect(file.value().isEmpty)
        try replace(with: "one")
        #expect(file.value() == "one")
        unlink(path)
        #expect(symlink(broken, path) == 0 && file.value() == "one")
        try replace(with: "two")
        #expect(file.value() == "two")
    }
}
