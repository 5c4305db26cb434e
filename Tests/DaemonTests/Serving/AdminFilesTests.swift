import Eventing
import Glibc
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// The files of the admin API beside the store: found again when they change, and told of when they cannot be used.
@Suite struct AdminFilesTests {
    private let directory = TemporaryDirectory()
    private let log = KeptLog()

    private func files(
        in storage: String? = nil,
        reader: String? = nil,
        hasSocket: Bool = false
    ) -> AdminFiles {
        var settings = DaemonSettings()
        settings.storage.directory = .none
        if let storage { settings.storage.directory = .directory(storage) }
        let paths = DaemonPaths(settings, context: ProcessContext(environment: [:], isRoot: false))
        return AdminFiles(paths, readTokenFile: reader, hasSocket: hasSocket, log: log.logger)
    }

    @Test("without a place for the token it is in memory alone, and the log says how to have a file of it")
    func withoutFile() {
        let made = files(hasSocket: true)
        let line = "warning no file for the admin token; requests that need it are refused"
        #expect(log.take() == ["\(line) remedy=\"set admin-token-file\""])
        #expect(made.token.count == 43 && made.readToken.isEmpty && made.socket == nil)
        #expect(made.restore() == nil && log.take().isEmpty)
    }

    @Test("a token file that others may read is reported once, and is used once it is private")
    func token() throws {
        let path = try directory.write("the-first-token\n", to: "admin-token", mode: 0o644)
        let made = files(in: directory.path)
        let line =
            "error no admin token; requests that need it are refused reason=\"cannot use the admin token file \(path): "
            + "others may read or write it; make it private (chmod 600), remove it, or change `admin-token-file`\""
        #expect(log.take() == [line])
        #expect(made.restore() == nil && log.take().isEmpty)
        chmod(path, 0o600)
        let change = try #require(made.restore())
        #expect(change.isRepair && change.socket == nil && log.take().isEmpty)
        #expect(made.token == Array("the-first-token".utf8) && made.restore() == nil)
        // It is news again, and the token that was known stays, also for a file that has to be made again.
        chmod(path, 0o644)
        #expect(made.restore() == nil && log.take() == [line])
        unlink(path)
        #expect(made.restore() == nil && log.take().isEmpty)
        #expect(made.token == Array("the-first-token".utf8) && contents(path) == Array("the-first-token\n".utf8))
    }

    @Test("the token for readers is that of the file that was named last; one that cannot be used is reported once")
    func reader() throws {
        let one = try directory.write("the-first-reader-token\n", to: "one")
        let two = try directory.write("short\n", to: "two")
        let made = files(in: directory.path, reader: one)
        #expect(made.readToken == Array("the-first-reader-token".utf8) && made.readTokenFault == nil)
        #expect(made.restore() == nil && log.take().isEmpty)
        made.useReadTokenFile(two)
        let fault = try #require(made.readTokenFault)
        #expect(fault.hasPrefix("cannot use the read token file \(two): its first line is no token of 16 characters"))
        #expect(made.readToken.isEmpty && log.take() == ["error no token for readers reason=\"\(fault)\""])
        #expect(made.restore() == nil && log.take().isEmpty)
        try directory.write("the-second-reader-token\n", to: "two")
        let change = try #require(made.restore())
        #expect(!change.isRepair && change.socket == nil && log.take().isEmpty)
        #expect(made.readToken == Array("the-second-reader-token".utf8) && made.readTokenFault == nil)
        unlink(two)
        #expect(made.restore()?.isRepair == false && made.readToken.isEmpty && log.take().count == 1)
        made.useReadTokenFile(nil)
        #expect(made.readTokenFault == nil && made.readToken.isEmpty && log.take().isEmpty)
    }

    @Test("a Unix socket whose file is gone is opened again; the log says once where it cannot be")
    func socket() throws {
        let path = directory.path("admin.sock")
        let made = files(in: directory.path, hasSocket: true)
        let first = try #require(made.socket)
        #expect(first.address == .unix(path: path) && made.restore() == nil && log.take().isEmpty)
        unlink(path)
        let change = try #require(made.restore())
        #expect(change.isRepair && change.socket != nil)
        #expect(change.socket === made.socket && change.socket !== first && made.restore() == nil)
        let reason = "everybody may write into the directory \(directory.path)"
        for _ in 0..<2 {
            unlink(path)
            chmod(directory.path, 0o777)
            #expect(made.restore() == nil)
            #expect(log.take() == ["warning no Unix socket for the admin API reason=\"\(reason)\""])
            #expect(made.restore() == nil && log.take().isEmpty)
            chmod(directory.path, 0o700)
            #expect(made.restore()?.socket != nil && made.socket?.isInPlace == true && log.take().isEmpty)
        }
    }
}
