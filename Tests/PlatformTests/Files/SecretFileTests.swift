import Glibc
import Platform
import TestSupport
import Testing

@Suite("Files with a secret") struct SecretFileTests {
    private let directory = TemporaryDirectory()

    private func reason(_ body: () throws -> Void) -> String? {
        do { try body() } catch let failure as SecretFile.Failure { return failure.reason } catch { return "\(error)" }
        return nil
    }

    private func permissions(_ path: String) -> UInt32? { (try? FileStatus(of: path))?.permissions }

    @Test("a secret is made once, for its owner alone, with the directories on the way to it")
    func making() throws {
        let path = directory.path("a/b/secret")
        #expect(try SecretFile.readOrMake(path) { "one" } == "one")
        #expect(try SecretFile.readOrMake(path) { "two" } == "one")
        #expect(contents(path) == Array("one\n".utf8) && permissions(path) == 0o600)
        #expect(permissions(directory.path("a")) == 0o700 && permissions(directory.path("a/b")) == 0o700)
        #expect(SmallFile.names(in: directory.path("a/b")) == ["secret"])
    }

    @Test("an empty file is no secret, and is replaced; an administrator's link is followed")
    func emptyAndLink() throws {
        let path = try directory.write("", to: "secret")
        #expect(try SecretFile.readOrMake(path) { "one" } == "one")
        #expect(contents(path) == Array("one\n".utf8))
        #expect(symlink(path, directory.path("link")) == 0)
        #expect(try SecretFile.readOrMake(directory.path("link")) { "two" } == "one")
    }

    @Test("of an operator's file the first line is read; a link or no file is a fault")
    func operators() throws {
        let path = try directory.write("one\r\ntwo\n", to: "secret")
        #expect(try SecretFile.readOfOperator(path) == "one" && SecretFile.read(path) == "one")
        #expect(symlink(path, directory.path("link")) == 0)
        let link = reason { _ = try SecretFile.readOfOperator(directory.path("link")) }
        #expect(link == "it is a symbolic link; name the file itself")
        #expect(reason { _ = try SecretFile.readOfOperator(directory.path("none")) } == "No such file or directory")
        #expect(reason { _ = try SecretFile.readOfOperator(path + "/x") } == "Not a directory")
    }

    @Test(
        "others may neither read nor write it, the group may read it",
        arguments: [
            (0o600, true), (0o640, true), (0o400, true), (0o620, false), (0o604, false), (0o602, false), (0o601, false),
        ] as [(UInt32, Bool)]
    )
    func modes(mode: UInt32, isSecret: Bool) throws {
        let path = try directory.write("one", to: "secret", mode: mode)
        let expected = isSecret ? nil : "others may read or write it"
        #expect(reason { _ = try SecretFile.readOfOperator(path) } == expected)
        #expect(reason { _ = try SecretFile.readOrMake(path) { "two" } } == expected)
        #expect(fault { _ = try SecretFile.readBytes(path, limit: 9) } == (isSecret ? nil : "tooOpen"))
    }

    @Test("what is no regular file, too large, or somebody else's is a fault")
    func kinds() throws {
        let inner = directory.directory("inner")
        #expect(reason { _ = try SecretFile.readOfOperator(inner) } == "it is no regular file")
        #expect(reason { _ = try SecretFile.readOrMake(inner) { "x" } } == "it is no regular file")
        let most = try directory.write(String(repeating: "a", count: 4096), to: "most")
        #expect(try SecretFile.readOfOperator(most).count == 4096)
        let large = try directory.write(String(repeating: "a", count: 4097), to: "large")
        #expect(reason { _ = try SecretFile.readOfOperator(large) } == "File too large")
    }

    @Test("a file of another user is refused", .enabled(if: geteuid() == 0, "only root can make one"))
    func owner() throws {
        let path = try directory.write("one", to: "secret")
        #expect(chown(path, 1234, 1234) == 0)
        let expected = "it belongs to user 1234, and this is user 0"
        #expect(reason { _ = try SecretFile.readOfOperator(path) } == expected)
        #expect(fault { _ = try SecretFile.readBytes(path, limit: 9) } == "foreign(owner: 1234, user: 0)")
        let inner = directory.directory("inner")
        #expect(chown(inner, 1234, 1234) == 0)
        #expect(SecretFile.directoryFault(of: inner + "/x") == "the directory \(inner) belongs to user 1234")
    }

    @Test("everybody may write into no directory of it, unless only owners may remove there")
    func directories() throws {
        let inner = directory.directory("inner")
        let path = inner + "/secret"
        for (mode, isFault) in [(0o777, true), (0o702, true), (0o1777, false), (0o770, false)] as [(mode_t, Bool)] {
            #expect(chmod(inner, mode) == 0)
            let expected = isFault ? "everybody may write into the directory \(inner)" : nil
            #expect(SecretFile.directoryFault(of: path) == expected)
            #expect(reason { try SecretFile.replace(path, with: [0x61]) } == expected)
            #expect(reason { _ = try SecretFile.readOrMake(path) { "x" } } == expected)
            #expect(SmallFile.exists(path) != isFault)
            unlink(path)
        }
        #expect(SecretFile.directoryFault(of: "/secret") == nil)
        #expect(SecretFile.directoryFault(of: directory.path("none/x")) == nil)
    }

    @Test("directories are made for all but the last name")
    func makeDirectories() {
        SecretFile.makeDirectories(of: directory.path("a/b/c"))
        #expect(permissions(directory.path("a/b")) == 0o700 && !SmallFile.exists(directory.path("a/b/c")))
    }

    // MARK: Lines

    private func fault(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test(
        "a value is the whole content without one line end",
        arguments: [
            ("abc", "abc"), ("abc\n", "abc"), ("abc\r\n", "abc"), ("abc\r", "abc"), ("a\nb\n\n", "a\nb\n"),
            ("\n", "empty"), ("\r\n", "empty"), ("", "empty"), ("no\n", "notAValue"), ("12345678", "12345678"),
            ("123456789", "tooLarge"),
        ]
    )
    func values(content: String, expected: String) throws {
        let path = try directory.write(content, to: "value")
        let value: String
        do { value = try SecretFile.readLine(path, limit: 8) { $0 != "no" } } catch { value = "\(error)" }
        #expect(value == expected)
    }

    @Test("a value is UTF-8, and in a regular file that is there")
    func faults() throws {
        let path = try directory.write([0xFF, 0x0A], to: "value")
        #expect(fault { _ = try SecretFile.readLine(path, limit: 8) { _ in true } } == "notAValue")
        #expect(try SecretFile.readBytes(path, limit: 2) == [0xFF, 0x0A])
        #expect(fault { _ = try SecretFile.readBytes(directory.path, limit: 8) } == "notRegular")
        let missing = fault { _ = try SecretFile.readBytes(directory.path("none"), limit: 8) }
        #expect(missing == "unreadable(No such file or directory)")
    }

    // MARK: Replacing

    @Test(
        "what replaces a secret is for its owner alone, and for the group to read where that could before",
        arguments: [(nil, 0o600), (0o600, 0o600), (0o640, 0o640), (0o666, 0o640), (0o400, 0o600)]
            as [(UInt32?, UInt32)]
    )
    func replacing(before: UInt32?, mode: UInt32) throws {
        if let before { try directory.write("old", to: "secret", mode: before) }
        try SecretFile.replace(directory.path("secret"), with: Array("new".utf8))
        #expect(contents(directory.path("secret")) == Array("new".utf8))
        #expect(permissions(directory.path("secret")) == mode)
        #expect(SmallFile.names(in: directory.path) == ["secret"])
    }

    @Test("a link stays one, and its file is replaced; what is no regular file stays")
    func replacingLink() throws {
        let path = try directory.write("old", to: "secret")
        let link = directory.path("link")
        #expect(symlink(path, link) == 0)
        try SecretFile.replace(link, with: Array("new".utf8))
        #expect(contents(path) == Array("new".utf8) && FileStatus.target(ofLink: link) == path)
        let inner = directory.directory("inner")
        #expect(reason { try SecretFile.replace(inner, with: []) } == "it is no regular file")
        #expect(SmallFile.names(in: directory.path).sorted() == ["inner", "link", "secret"])
    }
}
