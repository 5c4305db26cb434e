import Glibc
import Platform
import TestSupport
import Testing

@Suite("Files that are read in pieces")
struct RegularFileTests {
    private let directory = TemporaryDirectory()

    @Test("pieces are what is at their places; a link is what it leads to")
    func pieces() throws {
        let path = try directory.write("abcdef", to: "a")
        #expect(symlink(path, directory.path("link")) == 0)
        let file = try RegularFile(path: directory.path("link"))
        #expect(file.size == 6)
        #expect(try file.read(from: 4, count: 2) == Array("ef".utf8))
        #expect(try file.read(from: 0, count: 3) == Array("abc".utf8))
        try file.checkSize()
    }

    @Test("what is missing, no regular file, or unreadable is a fault that says so")
    func faults() throws {
        #expect(throws: FileFault.system(SystemError(ENOENT))) { try RegularFile(path: directory.path("none")) }
        #expect(throws: FileFault.directory) { try RegularFile(path: directory.path) }
        #expect(throws: FileFault.notAPath) { try RegularFile(path: directory.path("a\0b")) }
        mkfifo(directory.path("pipe"), 0o600)
        #expect(throws: FileFault.irregular) { try RegularFile(path: directory.path("pipe")) }
        #expect(throws: FileFault.irregular) { try RegularFile(path: "/dev/null") }
        #expect(FileFault.directory.reason == "it is a directory")
        #expect(FileFault.system(SystemError(ENOENT)).reason == "No such file or directory")
    }

    @Test("a file that shrinks or grows meanwhile is a fault with both sizes", arguments: [2, 8])
    func resized(size: Int) throws {
        let path = try directory.write("abcdef", to: "a")
        let file = try RegularFile(path: path)
        #expect(truncate(path, off_t(size)) == 0)
        #expect(throws: FileFault.resized(from: 6, to: Int64(size))) { try file.checkSize() }
        if size < 6 { #expect(throws: FileFault.resized(from: 6, to: 2)) { try file.read(from: 1, count: 5) } }
    }
}
