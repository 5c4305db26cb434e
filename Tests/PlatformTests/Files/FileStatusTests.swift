import Glibc
import Platform
import TestSupport
import Testing

@Suite struct FileStatusTests {
    @Test("owner, permissions, kind and time are those of the file; a link stands for its target")
    func status() throws {
        let home = TemporaryDirectory()
        let file = try home.write("text", to: "file")
        chmod(file, 0o640)
        let link = home.path + "/link"
        #expect(symlink(file, link) == 0)
        for path in [file, link] {
            let status = try FileStatus(of: path)
            #expect(status.owner == geteuid() && status.isOwn && !status.isDirectory && status.permissions == 0o640)
            #expect(abs(status.modified - Int64(time(nil))) < 3600)
        }
        #expect(try FileStatus(of: home.path).isDirectory)
        #expect(try !FileStatus(of: "/proc/self/../1").isOwn || geteuid() == 0)
        #expect(throws: SystemError(ENOENT)) { try FileStatus(of: home.path + "/none") }
        #expect(FileStatus.target(ofLink: link) == file && FileStatus.target(ofLink: file) == nil)
        #expect(FileStatus.isWritable(home.path) && !FileStatus.isWritable(home.path + "/none"))
    }

    @Test("the start of a file has at most the bytes that are asked for")
    func start() throws {
        let home = TemporaryDirectory()
        let file = try home.write("text", to: "file")
        #expect(try SmallFile.start(of: file, count: 2) == Array("te".utf8))
        #expect(try SmallFile.start(of: file, count: 9) == Array("text".utf8))
        #expect(throws: SystemError(ENOENT)) { try SmallFile.start(of: file + "2", count: 1) }
        #expect(throws: SystemError(EISDIR)) { try SmallFile.start(of: home.path, count: 1) }
    }

    @Test("a file system has no more room than size, also for a path that is not there yet")
    func space() throws {
        let home = TemporaryDirectory()
        let size = try FileSystem.size(at: home.path)
        #expect((1...size).contains(try FileSystem.available(at: home.path + "/later/store")))
    }
}
