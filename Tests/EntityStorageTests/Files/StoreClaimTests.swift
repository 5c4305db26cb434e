import Glibc
import TestSupport
import Testing

@testable import EntityStorage

/// Which directories are stores, or may become one.
@Suite("Signs of a store") struct StoreClaimTests {
    private let home = TemporaryDirectory()

    private func isRefused() throws -> Bool {
        let claim = StoreClaim(path: home.path, isHandedOver: false)
        return claim.refusal(of: try OpenDirectory(home.path)) != nil
    }

    /// The beginning of a database's file.
    private func header(_ text: String = "SQLite format 3\0", owner: [UInt8] = [0x52, 0x53, 0x50, 0x54]) -> [UInt8] {
        let start = Array(text.utf8)
        return start + [UInt8](repeating: 0, count: 68 - start.count) + owner
    }

    @Test("an empty directory may become a store; one with a foreign name may not, unless it is marked")
    func marker() throws {
        #expect(try !isRefused())
        try home.write("x", to: "notes.txt")
        #expect(try isRefused())
        try home.write("", to: StoreClaim.marker)
        #expect(try !isRefused())
    }

    @Test(
        "names of the daemon's files are no foreign ones, nor are drafts of its key and token",
        arguments: [
            ("lock", false), ("partition-key", false), ("admin-token", false), ("admin.sock", false), ("run", false),
            ("lost+found", false), ("partition-key.12", false), ("admin-token.12", false), ("partition-key.x", true),
            ("partition-key.", true), ("partition-key.1.2", true), ("lock.12", true), ("12.12", true), ("bodies", true),
        ]
    )
    func earlyNames(name: String, isForeign: Bool) throws {
        try home.write("", to: name)
        #expect(try isRefused() == isForeign)
    }

    @Test("a database of an earlier version is known by its head, all of it")
    func database() throws {
        for (bytes, isForeign) in [
            (header(), false), (header() + [0, 0], false), (Array(header().dropLast()), true),
            (header("SQLite format 2\0"), true), (header(owner: [0x52, 0x53, 0x50, 0x45]), true),
        ] as [([UInt8], Bool)] {
            try home.write(bytes, to: "cache.db")
            #expect(try isRefused() == isForeign)
        }
    }

    @Test(
        "a store of an earlier version whose database is damaged is known by all of its other files",
        arguments: 0..<8
    )
    func files(missing: Int) throws {
        try home.write("damaged", to: "cache.db")
        let key = [UInt8](repeating: 1, count: KeyedHash.count)
        switch missing {
        case 0: break
        case 1: try home.write(Array(key.dropLast()), to: "partition-key")
        case 2: _ = home.directory("partition-key")
        default: try home.write(key, to: "partition-key")
        }
        switch missing {
        case 3: break
        case 4: try home.write("x", to: "lock")
        default: try home.write("", to: "lock")
        }
        if missing != 5 { _ = home.directory("bodies") }
        if missing == 6 { try home.write("", to: "spill") } else { _ = home.directory("spill") }
        #expect(try isRefused() == (missing < 7))
    }

    @Test("what is missing is no obstacle, and a file is no directory")
    func paths() throws {
        #expect(StoreClaim.refusal(at: home.path("missing"), isHandedOver: false) == nil)
        let file = try home.write("x", to: "file")
        let refusal = try #require(StoreClaim.refusal(at: file, isHandedOver: false))
        #expect(refusal.code == .foreignDirectory && refusal.userMessage.contains("is no directory"))
    }

    // MARK: Sentences

    private func message(_ path: String) -> String? {
        StoreClaim.refusal(at: path, isHandedOver: false)?.userMessage
    }

    @Test("the name of what is not the store's shows nothing but plain characters, and 80 of them")
    func names() throws {
        for (name, shown) in [
            ("a b+c_d-1.é", "a b+c_d-1.é"), ("a\u{1B}[2J\n;'\u{202E}b", "a??2J????b"),
            (String(repeating: "x", count: 81), String(repeating: "x", count: 80)),
        ] {
            let home = TemporaryDirectory()
            try home.write("", to: name)
            #expect(
                message(home.path) == "the storage directory \(home.path) holds what is not Respite's (\(shown)): "
                    + "nothing in it was changed; name an empty or a new directory in `storage.directory`"
            )
        }
    }

    @Test(
        "who owns a directory, or a link to it, is told by number, with what to do",
        .enabled(if: geteuid() == 0)
    )
    func owners() throws {
        let path = home.directory("store")
        let link = home.path("link")
        symlink(path, link)
        lchown(link, 12345, 12345)
        #expect(
            message(link + "/") == "the storage directory \(link)/ is a link that belongs to user 12345: whoever owns "
                + "it decides what is served; change `storage.directory` to where it leads"
        )
        #expect(message(path) == nil && StoreClaim.refusal(at: link, isHandedOver: true) == nil)
        chown(path, 12345, 12345)
        #expect(
            message(path) == "the storage directory \(path) belongs to user 12345, and Respite runs as user 0: whoever "
                + "owns it decides what is served; `chown` it, or change `storage.directory`"
        )
        #expect(StoreClaim.refusal(at: path, isHandedOver: true) == nil)
        let file = try home.write("", to: "file")
        #expect(message(file) == "\(file) is no directory; change `storage.directory`")
    }
}
