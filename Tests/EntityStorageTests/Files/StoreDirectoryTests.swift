import HTTPCore
import TestSupport
import Testing

@testable import EntityStorage

/// The files that a store makes, finds and removes.
@Suite("Files of a store") struct StoreDirectoryTests {
    private let home = TemporaryDirectory()
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory(home.path("store")) }

    /// A body on its shelf.
    private func shelve(_ file: Int64, _ content: [UInt8]) throws {
        try directory.makeDraft(file).write(ByteChunk(content), at: 0)
        try directory.moveToShelf(file)
    }

    @Test("a damaged database that is kept has the next number, and the one before it goes")
    func setAside() throws {
        func setAside(_ isKept: Bool) throws -> String? {
            try home.write("damaged", to: "store/cache.db")
            return directory.setDatabaseAside(isKept: isKept)
        }
        for number in 1...3 {
            #expect(try setAside(true) == "\(directory.path)/cache.db.damaged-\(number)")
            #expect(directory.root.names.filter { $0.hasPrefix("cache.db") } == ["cache.db.damaged-\(number)"])
        }
        #expect(directory.size(of: "cache.db.damaged-3") == 7)
        #expect(try setAside(false) == nil && directory.root.names.filter { $0.hasPrefix("cache.db") } == ["cache.db"])
        #expect(directory.setAsideUsage == 0)
    }

    @Test("removing all bodies removes those on shelves and drafts, and nothing else")
    func removing() throws {
        for file in [255, 256, 511] as [Int64] { try shelve(file, [1]) }
        _ = try directory.makeDraft(7)
        try home.write("x", to: "store/spill/notes")
        directory.removeAllBodies()
        #expect(directory.drafts.isEmpty && directory.spill.names == ["notes"])
        #expect([0, 255].allSatisfy { directory.files(onShelf: $0).isEmpty })
    }

    @Test("a body is opened on its shelf or as a draft, and one that is in neither place is missing")
    func opening() throws {
        try shelve(3, [3])
        try directory.makeDraft(4).write(ByteChunk([4]), at: 0)
        #expect(try directory.openBody(3).read(2, at: 0) == [3] && directory.openBody(4).read(2, at: 0) == [4])
        for file in [5, 259] as [Int64] {
            let error = #expect(throws: FileError.self) { try directory.openBody(file) }
            #expect(error?.isMissing == true)
        }
        #expect(directory.removeBody(3) && !directory.removeBody(3) && !directory.removeBody(4))
    }

    @Test("a body becomes a name of another one only if both are there, and no draft is left of it either way")
    func linking() throws {
        for file in [1, 2] as [Int64] { try shelve(file, [5]) }
        #expect(directory.names(ofBody: 1) == 1 && directory.names(ofBody: 9) == 0)
        // Missing are: a shelf, a file on a shelf, and the body itself.
        for (file, other) in [(1, 9), (1, 257), (9, 1), (257, 2)] as [(Int64, Int64)] {
            let error = #expect(throws: FileError.self) { try directory.replaceBody(file, byLinkTo: other) }
            #expect(error?.isMissing == true, "\(file) by \(other)")
        }
        #expect(directory.drafts.isEmpty && directory.names(ofBody: 1) == 1 && directory.names(ofBody: 2) == 1)
        try directory.replaceBody(1, byLinkTo: 2)
        #expect(directory.drafts.isEmpty && directory.names(ofBody: 1) == 2 && directory.names(ofBody: 2) == 2)
        #expect(directory.files(onShelf: 1) == [1] && directory.files(onShelf: 2) == [2])
    }

    @Test("a directory that was open to others is closed, and told once: a warning if it was a store already")
    func notices() throws {
        #expect(directory.notices.isEmpty)
        for (severity, isKnown) in [(.info, false), (.warning, true)] as [(StoreNotice.Severity, Bool)] {
            let name = "open-\(isKnown)"
            let path = home.directory(name)
            if isKnown { try home.write("", to: "\(name)/\(StoreClaim.marker)") }
            try OpenDirectory(path).setMode(0o750)
            let opened = try StoreDirectory(path)
            opened.unlock()
            let notices = opened.notices
            #expect(notices.map(\.severity) == [severity])
            #expect(
                notices.first?.message
                    == "the store's directory was open to other users; it is now for its owner alone"
            )
            #expect(notices.first?.details.map { "\($0.name)=\($0.value)" } == ["directory=\(path)", "mode=750"])
            #expect(try OpenDirectory(path).status().mode == 0o700)
            #expect(try StoreDirectory(path).notices.isEmpty)
        }
    }

    @Test("the marker says for people what the directory is, and one that is there is left as it is")
    func marker() throws {
        let text = try OpenFile(StoreClaim.marker, in: directory.root, flags: 0).read(1000, at: 0)
        #expect(
            String(decoding: text, as: UTF8.self) == "A store of Respite, a caching HTTP proxy. Respite replaces and "
                + "deletes files in this directory.\nIt may be deleted as a whole.\n"
        )
        let other = home.directory("other")
        try home.write("mine", to: "other/\(StoreClaim.marker)")
        let again = try StoreDirectory(other)
        #expect(try OpenFile(StoreClaim.marker, in: again.root, flags: 0).read(9, at: 0) == Array("mine".utf8))
    }

    @Test("a directory has one store at a time, and the refusal of another one says so")
    func locked() throws {
        let error = #expect(throws: StoreError.self) { try StoreDirectory(home.path("store")) }
        #expect(error?.code == .locked)
        #expect(
            error?.userMessage == "another process uses the storage directory \(home.path("store")): stop it or change "
                + "`storage.directory`"
        )
        directory.unlock()
        #expect(throws: Never.self) { try StoreDirectory(home.path("store")) }
        let file = try home.write("", to: "file")
        let unusable = #expect(throws: StoreError.self) { try StoreDirectory(file + "/store") }
        #expect(unusable?.code == .directoryNotUsable)
        let message = try #require(unusable).userMessage
        #expect(message.hasPrefix("cannot use the storage directory \(file)/store: "))
        #expect(message.hasSuffix("; make it writable or change `storage.directory`"))
    }
}
