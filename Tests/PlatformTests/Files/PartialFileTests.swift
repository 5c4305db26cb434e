import Glibc
import Platform
import TestSupport
import Testing

@Suite("Parts of files")
struct PartialFileTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }
    private var part: String { path + PartialFile.suffix }

    private func mode(_ path: String) -> UInt32? { (try? FileStatus(of: path))?.permissions }

    @Test("a file gets its name once it is complete, keeps the permissions there, and leaves nothing else")
    func finishing() throws {
        try directory.write("old", to: "file", mode: 0o640)
        let file = try PartialFile(path: path)
        try file.restart(note: "n")
        try file.append(Array("new content".utf8))
        #expect(contents(path) == Array("old".utf8) && filesBelow(directory.path).count == 3)
        try file.finish()
        #expect(contents(path) == Array("new content".utf8) && mode(path) == 0o640)
        #expect(filesBelow(directory.path) == [path])
    }

    @Test("a link stays a link, and what it leads to is replaced")
    func link() throws {
        try directory.write("old", to: "other")
        #expect(symlink(directory.path("other"), path) == 0)
        let file = try PartialFile(path: path)
        try file.append([0x61])
        try file.finish()
        #expect(FileStatus.target(ofLink: path) == directory.path("other") && contents(path) == [0x61])
    }

    @Test("a kept part is found with its note, and continued")
    func keeping() throws {
        do {
            let file = try PartialFile(path: path)
            #expect(file.note == nil && file.size == 0)
            try file.restart(note: "first")
            try file.append(Array("abcdef".utf8))
            file.keep(note: "second")
        }
        let file = try PartialFile(path: path)
        #expect(file.note == "second" && file.size == 6)
        try file.shorten(to: 3)
        try file.append(Array("xyz".utf8))
        try file.finish()
        #expect(contents(path) == Array("abcxyz".utf8))
    }

    @Test("a part without a proper note of ours is of no use")
    func notes() throws {
        try directory.write("abc", to: "file" + PartialFile.suffix)
        #expect(try PartialFile(path: path).note == nil)
        let note = directory.path("file.respite-note")
        try directory.write("n", to: "file.respite-note", mode: 0o666)
        #expect(try PartialFile(path: path).note == nil)
        unlink(note)
        try directory.write("n", to: "elsewhere")
        #expect(symlink(directory.path("elsewhere"), note) == 0)
        #expect(try PartialFile(path: path).note == nil)
    }

    enum Foreign: CaseIterable { case link, hardLink, pipe, directory, writableByAll }

    @Test("a part that is no plain file of ours alone is neither continued nor replaced", arguments: Foreign.allCases)
    func foreign(kind: Foreign) throws {
        let other = try directory.write("secret", to: "other")
        switch kind {
        case .link: #expect(symlink(other, part) == 0)
        case .hardLink: #expect(Glibc.link(other, part) == 0)
        case .pipe: #expect(mkfifo(part, 0o600) == 0)
        case .directory: #expect(mkdir(part, 0o700) == 0)
        case .writableByAll: try directory.write("x", to: "file" + PartialFile.suffix, mode: 0o666)
        }
        #expect(throws: FileFault.foreignPart(path: part)) { try PartialFile(path: path) }
        #expect(contents(other) == Array("secret".utf8))
    }

    @Test("while a part is open, nobody else can open it; afterwards it can be opened")
    func locking() throws {
        let file = try PartialFile(path: path)
        try file.append([0x61])
        #expect(throws: FileFault.inUse) { try PartialFile(path: path) }
        try file.finish()
        #expect(try PartialFile(path: path).size == 0 && contents(path) == [0x61])
    }

    @Test("a directory, a device and a missing directory are faults; a discarded part leaves nothing")
    func faults() throws {
        #expect(throws: FileFault.directory) { try PartialFile(path: directory.path) }
        #expect(throws: FileFault.irregular) { try PartialFile(path: "/dev/null") }
        #expect(throws: FileFault.notAPath) { try PartialFile(path: "/tmp/a\0b") }
        #expect(throws: FileFault.system(SystemError(ENOENT))) { try PartialFile(path: directory.path("none/file")) }
        let file = try PartialFile(path: path)
        try file.restart(note: "n")
        try file.append([0x61])
        file.discard()
        #expect(filesBelow(directory.path) == [])
    }

    @Test("what finds no room is a fault, and what came before stays")
    func full() async {
        let path = path
        await #expect(processExitsWith: .success) { [path = path as String] in
            var limit = rlimit(rlim_cur: 4_000_000, rlim_max: 4_000_000)
            signal(SIGXFSZ, SIG_IGN)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let file = try PartialFile(path: path)
            try file.append([UInt8](repeating: 1, count: 3_000_000))
            #expect(throws: FileFault.system(SystemError(EFBIG))) {
                try file.append([UInt8](repeating: 2, count: 3_000_000))
            }
            #expect(file.size == 4_000_000)
        }
    }
}
