import Glibc
import Platform
import TestSupport
import Testing

@Suite("Files that are written whole or not at all") struct PendingFileTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }
    private var names: [String] { SmallFile.names(in: directory.path).sorted() }
    private var draft: String { "file.\(getpid()).part" }

    @Test("it has its name once it is finished; before that a draft stands beside it")
    func finishing() throws {
        let file = try PendingFile(path: path)
        try file.write(Array("one ".utf8))
        #expect(names == [draft])
        #expect(throws: SystemError(EEXIST)) { try PendingFile(path: path) }
        try file.write(Array("two".utf8))
        try file.finish()
        #expect(names == ["file"] && contents(path) == Array("one two".utf8))
        file.discard()
        try file.finish()
        #expect(names == ["file"])
    }

    @Test("a new file may be read and written by all, as far as the mask permits")
    func mode() async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            umask(0)
            let file = try PendingFile(path: path)
            try file.finish()
            #expect(try FileStatus(of: path).permissions == 0o666)
        }
    }

    @Test("a discarded one leaves what was there, and so does a released one", arguments: [true, false])
    func discarding(isReleased: Bool) throws {
        try directory.write("old", to: "file", mode: 0o640)
        do {
            let file = try PendingFile(path: path)
            try file.write(Array("new".utf8))
            withExtendedLifetime(file) { #expect(names == ["file", draft]) }
            if !isReleased {
                file.discard()
                #expect(names == ["file"])
            }
        }
        #expect(names == ["file"] && contents(path) == Array("old".utf8))
    }

    @Test("a file that is replaced gives its permissions, and a link stays a link")
    func replacing() throws {
        let other = try directory.write("old", to: "other", mode: 0o604)
        #expect(symlink(other, path) == 0)
        let file = try PendingFile(path: path)
        try file.write(Array("new".utf8))
        try file.finish()
        #expect(contents(other) == Array("new".utf8) && FileStatus.target(ofLink: path) == other)
        #expect(try FileStatus(of: other).permissions == 0o604)
    }

    @Test("a device is written at once, and no draft is made")
    func device() throws {
        let file = try PendingFile(path: "/dev/null")
        try file.write([0x61])
        try file.finish()
        file.discard()
        #expect(SmallFile.exists("/dev/null") && !SmallFile.exists("/dev/null.\(getpid()).part"))
        #expect(throws: SystemError(EISDIR)) { try PendingFile(path: directory.path) }
        #expect(throws: SystemError(ENOENT)) { try PendingFile(path: directory.path("none/file")) }
    }
}
