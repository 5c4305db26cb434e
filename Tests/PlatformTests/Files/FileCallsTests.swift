import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Calls for files") struct FileCallsTests {
    private let directory = TemporaryDirectory()

    @Test("each fault of a file has its sentence")
    func reasons() {
        let reasons: [(FileFault, String)] = [
            (.system(SystemError(EACCES)), "Permission denied"), (.notAPath, "the path contains a NUL byte"),
            (.directory, "it is a directory"), (.irregular, "it is no regular file"),
            (.resized(from: 3, to: 5), "its size changed from 3 to 5 bytes meanwhile"),
            (.foreignPart(path: "/a"), "/a is not a plain file of this user alone; remove it"),
            (.inUse, "another process is writing it"), (.lastError(EIO), "Input/output error"),
        ]
        for (fault, reason) in reasons { #expect(fault.reason == reason) }
    }

    @Test("each error of the system that callers ask for is told from the others")
    func errors() {
        let codes = [ENOENT, EFBIG, ETIMEDOUT, EAGAIN, EACCES].map { SystemError($0) }
        #expect(codes.map(\.isMissingFile) == [true, false, false, false, false])
        #expect(codes.map(\.isTooLarge) == [false, true, false, false, false])
        #expect(codes.map(\.isTimeout) == [false, false, true, false, false])
        #expect(codes.map(\.isBlocked) == [false, false, false, true, false])
    }

    @Test("files are written for their owner alone, once; programs may be run")
    func writing() throws {
        let path = directory.path("file")
        let program = directory.path("program")
        try SmallFile.writePrivate(Array("one".utf8), to: path)
        try SmallFile.writePrivate(Array("two".utf8), to: program, isProgram: true)
        #expect(throws: SystemError(EEXIST)) { try SmallFile.writePrivate([], to: path) }
        #expect(contents(path) == Array("one".utf8) && contents(program) == Array("two".utf8))
        #expect(try FileStatus(of: path).permissions == 0o600 && FileStatus(of: program).permissions == 0o700)
        #expect(SmallFile.isExecutable(program) && !SmallFile.isExecutable(path))
        #expect(SmallFile.names(in: directory.path).sorted() == ["file", "program"])
        try SmallFile.rename(path, to: program)
        #expect(contents(program) == Array("one".utf8) && SmallFile.names(in: directory.path) == ["program"])
        #expect(throws: SystemError(ENOENT)) { try SmallFile.rename(path, to: program) }
    }

    @Test("a private directory is new, for its owner alone, and removed only when it is empty")
    func directories() throws {
        let one = try SmallFile.makePrivateDirectory(in: directory.path)
        let other = try SmallFile.makePrivateDirectory(in: directory.path)
        #expect(one != other && one.hasPrefix(directory.path + "/respite-"))
        #expect(try FileStatus(of: one).permissions == 0o700 && FileStatus(of: one).isDirectory)
        try SmallFile.writePrivate([], to: one + "/file")
        #expect(throws: SystemError.self) { try SmallFile.remove(one) }
        SmallFile.removeDirectory(one)
        SmallFile.removeDirectory(other)
        #expect(SmallFile.exists(one) && !SmallFile.exists(other))
        #expect(throws: SystemError(ENOENT)) { try SmallFile.makePrivateDirectory(in: directory.path("none")) }
    }

    @Test("a file of several buffers is read whole, and no other kind is taken for a socket")
    func reading() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let path = try directory.write(bytes, to: "file")
        #expect(try SmallFile.read(path, limit: 200_000) == bytes)
        #expect(!SmallFile.isOwnSocket(path) && !SmallFile.isOwnSocket(directory.path("none")))
    }

    @Test("a log that was moved away is opened anew, under the same number, and is not inherited")
    func reopening() throws {
        let path = directory.path("log")
        let file = try AppendedFile(path: path)
        let number = file.number
        #expect(SystemOutput.write(Array("one\n".utf8)[...], to: file.number))
        try SmallFile.rename(path, to: directory.path("log.1"))
        try file.reopen()
        #expect(file.number == number && fcntl(number, F_GETFD) == FD_CLOEXEC)
        #expect(SystemOutput.write(Array("two\n".utf8)[...], to: file.number))
        try file.reopen()
        #expect(SystemOutput.writeCounting(Array("three\n".utf8)[...], to: file.number) == 6)
        #expect(contents(directory.path("log.1")) == Array("one\n".utf8))
        #expect(contents(path) == Array("two\nthree\n".utf8))
    }

    @Test("what cannot be written is told with the bytes that were")
    func failedOutput() throws {
        let file = try FileDescriptor(path: try directory.write("abc", to: "file"))
        #expect(SystemOutput.writeCounting([1, 2], to: file.number) == 0)
        #expect(!SystemOutput.write([1, 2], to: file.number) && SystemOutput.write([], to: file.number))
        #expect(SystemOutput.isRegularFile(file.number))
        let device = try FileDescriptor(path: "/dev/null")
        #expect(!SystemOutput.isRegularFile(device.number))
    }

    @Test("a file system is found by the nearest directory that is there")
    func space() throws {
        #expect(try FileSystem.size(at: directory.path("a/b/c")) == FileSystem.size(at: directory.path))
        #expect(try FileSystem.size(at: "/none-such-directory") == FileSystem.size(at: "/"))
        #expect(throws: SystemError(ENOENT)) { try FileSystem.size(at: "none-such-directory") }
    }

    @Test("the machine's boot has an identifier, which stays")
    func boot() throws {
        let line = try SmallFile.read("/proc/sys/kernel/random/boot_id", limit: 100)
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        #expect(SystemBoot.identifier == text && text.count == 36)
    }
}
