import Glibc
import HostLists
import Platform
import Testing
import TestSupport

/// Files of lists of hosts.
@Suite struct HostListFileTests {
    @Test("a regular file is read whole")
    func regular() throws {
        let home = TemporaryDirectory()
        let path = try home.write("a.example\n", to: "list.txt")
        #expect(try HostListFile.read(path) == Array("a.example\n".utf8))
    }

    @Test(
        "a file of another user is refused, unless the settings file is that user's",
        .enabled(if: geteuid() == 0, "only root can give a file away")
    )
    func foreign() throws {
        let home = TemporaryDirectory()
        let path = try home.write("a.example\n", to: "list.txt")
        let settings = try home.write("", to: "respite.toml")
        #expect(chown(path, 4711, 4711) == 0)
        #expect(throws: HostListFile.Fault.foreign(owner: 4711)) { try HostListFile.read(path, for: settings) }
        #expect(throws: HostListFile.Fault.foreign(owner: 4711)) { try HostListFile.read(path) }
        #expect(chown(settings, 4711, 4711) == 0)
        #expect(try HostListFile.read(path, for: settings).count == 10)
    }

    @Test("a missing file, a directory, a pipe, a file that all may write and one that is too large are refused")
    func refused() throws {
        let home = TemporaryDirectory()
        func fault(_ path: String) -> HostListFile.Fault? {
            #expect(throws: HostListFile.Fault.self) { try HostListFile.read(path) }
        }
        guard case .unreadable(let error)? = fault(home.path + "/none") else { return #expect(Bool(false)) }
        #expect(error.isMissingFile)
        #expect(fault(home.path) == .notRegular)
        let pipe = home.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(fault(pipe) == .notRegular)
        let open = try home.write("a.example", to: "open.txt")
        #expect(chmod(open, 0o666) == 0)
        #expect(fault(open) == .writable)
        let large = try home.write("", to: "large.txt")
        #expect(truncate(large, off_t(HostListFile.limit + 1)) == 0)
        #expect(fault(large) == .tooLarge)
    }
}
