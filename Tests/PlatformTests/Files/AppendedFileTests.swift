import Glibc
import TestSupport
import Testing

@testable import Platform

/// Which paths a log may be written to.
@Suite struct AppendedFileTests {
    private let directory = TemporaryDirectory()

    /// What opening says, and what the check without opening says.
    private func faults(_ path: String) -> (opening: String?, check: String?) {
        let check = AppendedFile.fault(at: path)
        do {
            _ = try AppendedFile(path: path)
            return (nil, check)
        } catch {
            return ("\(error)", check)
        }
    }

    @Test("a new file is for its owner, and for its group to read")
    func mode() throws {
        let path = directory.path("a")
        #expect(AppendedFile.fault(at: path) == nil)
        #expect(!SmallFile.isNamed(path))
        _ = try AppendedFile(path: path)
        var status = stat()
        let mask = umask(0)
        umask(mask)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640 & ~mask)
    }

    @Test("a link, a second name of a file and a directory are refused, before and at opening, with the remedy")
    func kinds() throws {
        let file = try directory.write("", to: "file")
        let (link, other) = (directory.path("link"), directory.path("other"))
        #expect(symlink(file, link) == 0)
        let links = faults(link)
        #expect(links.opening?.contains("is a symbolic link: name the file that it leads to") == true)
        #expect(links.check?.contains("is a symbolic link: name the file that it leads to") == true)
        #expect(faults(file) == (nil, nil))
        #expect(Glibc.link(file, other) == 0)
        let names = faults(other)
        #expect(names.opening?.contains("has another name, too") == true)
        #expect(names.check?.contains("has another name, too") == true)
        let directories = faults(directory.directory("d"))
        #expect(directories.opening?.contains("Is a directory") == true)
        #expect(directories.check?.contains("is a directory: name a file in it") == true)
        let missing = faults(directory.path("none/a"))
        #expect(missing.opening?.contains("No such file or directory") == true)
        #expect(missing.check?.contains("cannot make a file in") == true)
    }

    @Test("a file of another user is refused", .enabled(if: geteuid() == 0, "only root can make one"))
    func owner() throws {
        let path = try directory.write("", to: "file")
        #expect(chown(path, 1234, 1234) == 0)
        let faults = faults(path)
        #expect(faults.opening?.contains("belongs to another user") == true)
        #expect(faults.check?.contains("belongs to another user") == true)
    }

    @Test("a pipe without a reader is refused at once")
    func pipe() throws {
        let path = directory.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(faults(path).opening?.contains("cannot open \(path)") == true)
    }

    @Test("the standard streams may be named, although their names are links")
    func streams() throws {
        for path in ["/dev/stdout", "/dev/stderr"] {
            #expect(faults(path) == (nil, nil))
            let file = try AppendedFile(path: path)
            #expect(file.number > 2)
        }
    }

    @Test("each refusal names the path, what is there, and the remedy")
    func sentences() throws {
        let file = try directory.write("", to: "file")
        let (link, other, inner) = (directory.path("link"), directory.path("other"), directory.directory("inner"))
        #expect(symlink(file, link) == 0 && Glibc.link(file, other) == 0)
        let socket = try TestSupport.NoticeSocket(in: TemporaryDirectory())
        let isLink = "is a symbolic link: name the file that it leads to"
        let hasNames = "has another name, too, so that it may be somebody else's file"
        let none = directory.path("none")
        let expected = [
            (link, "which \(isLink): Too many levels of symbolic links", "\(link) \(isLink)"),
            (other, "which \(hasNames): Invalid argument", "\(other) \(hasNames)"),
            (inner, "Is a directory", "\(inner) is a directory: name a file in it"),
            (socket.path, "No such device or address", "\(socket.path) is neither a file nor a pipe"),
            (none + "/a", "No such file or directory", "cannot make a file in \(none)/: No such file or directory"),
        ]
        for (path, opening, check) in expected {
            let separator = opening.hasPrefix("which") ? "," : ":"
            let found = faults(path)
            #expect(found.opening == "cannot open \(path)\(separator) \(opening)" && found.check == check)
        }
        #expect(faults("/dev/null") == (nil, nil))
    }
}
