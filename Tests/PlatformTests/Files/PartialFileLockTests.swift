import Glibc
import Platform
import TestSupport
import Testing

@Suite("Parts of files that are given up, and their notes") struct PartialFileLockTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path("file") }

    enum End: CaseIterable { case leave, keep, finish }

    @Test("who has ended locks the file no more, though it is still open", arguments: End.allCases)
    func unlocking(end: End) throws {
        let file = try PartialFile(path: path)
        try file.append([0x61])
        #expect(throws: FileFault.inUse) { try PartialFile(path: path) }
        let name: String
        switch end {
        case .leave:
            file.leave()
            name = path + PartialFile.suffix
        case .keep:
            file.keep(note: "n")
            name = path + PartialFile.suffix
        case .finish:
            try file.finish()
            name = path
        }
        let descriptor = try FileDescriptor(path: name)
        #expect(flock(descriptor.number, LOCK_EX | LOCK_NB) == 0)
        #expect(file.size == 1)
    }

    @Test("a part that is begun anew has neither the content nor the note of before")
    func restarting() throws {
        do {
            let file = try PartialFile(path: path)
            try file.restart(note: "first")
            try file.append([1, 2, 3])
            file.leave()
        }
        do {
            let file = try PartialFile(path: path)
            #expect(file.size == 3 && file.note == "first")
            try file.restart(note: nil)
            #expect(file.size == 0)
            try file.append([4])
            file.leave()
        }
        let file = try PartialFile(path: path)
        #expect(file.size == 1 && file.note == nil && contents(path + PartialFile.suffix) == [4])
        #expect(SmallFile.names(in: directory.path) == ["file" + PartialFile.suffix])
    }

    @Test("a note has up to 16 KiB of UTF-8, and is the user's own", arguments: [(16_384, true), (16_385, false)])
    func notes(count: Int, isRead: Bool) throws {
        try directory.write("abc", to: "file" + PartialFile.suffix)
        let note = String(repeating: "n", count: count)
        try directory.write(note, to: "file.respite-note")
        #expect(try PartialFile(path: path).note == (isRead ? note : nil))
        for mode in [0o620, 0o602] as [UInt32] {
            try directory.write("n", to: "file.respite-note", mode: mode)
            #expect(try PartialFile(path: path).note == nil)
        }
        try directory.write([0xFF], to: "file.respite-note", mode: 0o600)
        #expect(try PartialFile(path: path).note == nil)
        // Others may read or run it, as they like.
        for mode in [0o644, 0o755] as [UInt32] {
            try directory.write("n", to: "file.respite-note", mode: mode)
            #expect(try PartialFile(path: path).note == "n")
        }
    }

    @Test("a new file is readable by all and writable by its group, as far as the mask permits")
    func mode() async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            umask(0)
            let file = try PartialFile(path: path)
            try file.finish()
            #expect(try FileStatus(of: path).permissions == 0o664)
        }
    }
}
