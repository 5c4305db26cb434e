import Glibc
import Platform
import TestSupport
import Testing

@Suite struct SmallFileTests {
    @Test("a file up to the limit is read, a larger one is an error")
    func limit() throws {
        let directory = try SmallFile.makePrivateDirectory(in: "/tmp")
        let path = "\(directory)/file"
        defer {
            try? SmallFile.remove(path)
            SmallFile.removeDirectory(directory)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(SystemOutput.write(Array("12345678".utf8)[...], to: descriptor))
        close(descriptor)
        #expect(try SmallFile.read(path, limit: 8) == Array("12345678".utf8))
        #expect(throws: SystemError(EFBIG)) { try SmallFile.read(path, limit: 7) }
        #expect(SmallFile.names(in: directory) == ["file"])
        #expect(SmallFile.exists(path) && !SmallFile.isExecutable(path) && !SmallFile.isOwnSocket(path))
    }

    @Test("a missing file is an error to read, and none to remove")
    func missing() throws {
        #expect(throws: SystemError(EISDIR)) { try SmallFile.read("/", limit: 1) }
        let error = #expect(throws: SystemError.self) { try SmallFile.read("/nowhere/file", limit: 1) }
        #expect(error?.isMissingFile == true && error?.reason == "No such file or directory")
        try SmallFile.remove("/nowhere/file")
        #expect(SmallFile.names(in: "/nowhere").isEmpty)
    }

    @Test("a socket is ours if nobody else may use it")
    func ownSocket() throws {
        let socket = try NoticeSocket(in: TemporaryDirectory())
        chmod(socket.path, 0o600)
        #expect(SmallFile.isOwnSocket(socket.path))
        for others: mode_t in [0o660, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601] {
            chmod(socket.path, others)
            #expect(!SmallFile.isOwnSocket(socket.path), "\(others)")
        }
    }

    @Test("a link that leads nowhere has a name, and no file")
    func link() throws {
        let directory = try SmallFile.makePrivateDirectory(in: "/tmp")
        let path = "\(directory)/link"
        defer {
            try? SmallFile.remove(path)
            SmallFile.removeDirectory(directory)
        }
        #expect(symlink("/nowhere", path) == 0)
        #expect(SmallFile.isNamed(path) && !SmallFile.exists(path))
    }

    @Test("what failed comes before the system's reason")
    func errors() {
        #expect("\(SystemError(ENOENT))" == "No such file or directory")
        #expect("\(SystemError(ENOENT, "cannot open x"))" == "cannot open x: No such file or directory")
        let error = #expect(throws: SystemError.self) { try FileDescriptor(path: "/nowhere/file") }
        #expect(error?.description == "cannot open /nowhere/file: No such file or directory")
    }

    @Test("a file that texts are appended to has all of them, and only its owner may access it")
    func appendPrivate() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("file")
        for text in ["one\n", "two\n"] { try SmallFile.appendPrivate(text, to: path) }
        #expect(try SmallFile.read(path, limit: 100) == Array("one\ntwo\n".utf8))
        #expect(try FileStatus(of: path).permissions == 0o600)
    }

    @Test("nothing is written where a link leads")
    func writingToLink() throws {
        let directory = TemporaryDirectory()
        let file = try directory.write("one\n", to: "file")
        let link = directory.path("link")
        #expect(symlink(file, link) == 0)
        #expect(throws: SystemError(ELOOP)) { try SmallFile.appendPrivate("two\n", to: link) }
        #expect(throws: SystemError(EEXIST)) { try SmallFile.writePrivate([0x61], to: link) }
        #expect(contents(file) == Array("one\n".utf8))
    }

    @Test("what is open is not inherited by programs")
    func closedOnExecution() throws {
        let file = try FileDescriptor(path: "/dev/null")
        let wakeUp = try WakeUp()
        let output = try AppendedFile(path: "/dev/stdout")
        for number in [file.number, wakeUp.descriptor, output.number] {
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        withExtendedLifetime((file, wakeUp, output)) {}
    }
}
