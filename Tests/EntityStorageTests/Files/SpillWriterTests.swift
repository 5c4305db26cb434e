import Glibc
import HTTPCore
import Locking
import RecordFormat
import TestSupport
import Testing

@testable import EntityStorage

/// A small file system on a directory, with no room for a file.
private final class NoRoomForFiles: Sendable {
    private let path: String
    private let home: TemporaryDirectory

    /// Makes the directory; nil if this user may not mount a file system.
    init?(_ name: String, in home: TemporaryDirectory) {
        self.home = home
        path = home.directory(name)
        guard mount("tmpfs", path, "tmpfs", 0, "nr_inodes=1,mode=700") == 0 else { return nil }
    }

    deinit { umount2(path, 2) }

    static let isPossible = NoRoomForFiles("spill", in: TemporaryDirectory()) != nil
}

/// Bodies that grow on the disk, and the room that they take.
@Suite("Growing body files") struct SpillWriterTests {
    /// What happened, in order; safe from any thread.
    private final class Steps: Sendable {
        private let steps = Lock<[String]>([])
        func add(_ step: String) { steps.withLock { $0.append(step) } }
        func take() -> [String] {
            steps.withLock { steps in
                defer { steps = [] }
                return steps
            }
        }
    }

    /// Room that was asked for; safe from any thread.
    private final class Requests: Sendable {
        private struct Request: Sendable {
            var bytes: Int64
            var completion: @Sendable (Bool) -> Void
        }

        private let requests = Lock<[Request]>([])
        var bytes: [Int64] { requests.withLock { $0.map(\.bytes) } }
        func add(_ bytes: Int64, _ completion: @escaping @Sendable (Bool) -> Void) {
            requests.withLock { $0.append(Request(bytes: bytes, completion: completion)) }
        }
        func answer(_ isGranted: Bool) {
            let first = requests.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            first?.completion(isGranted)
        }
    }

    private let home = TemporaryDirectory()
    private let desk: WriterDesk
    private let steps = Steps()
    private let requests = Requests()
    private var budget: DiskBudget { desk.parts.diskBudget }
    private var directory: StoreDirectory { desk.writer.directory }

    init() throws { desk = try WriterDesk(StoreConfiguration(directory: home.path("store"), limit: 4 << 20)) }

    private func writer(_ ticket: BodyTicket) -> SpillWriter { writer(ticket, desk) }

    private func writer(_ ticket: BodyTicket, _ desk: WriterDesk) -> SpillWriter {
        SpillWriter(
            ticket: ticket,
            diskBudget: desk.parts.diskBudget,
            worker: desk.parts.filesThread,
            makeRoom: { [requests] bytes, completion in requests.add(bytes, completion) },
            onFull: { [steps] error in steps.add("full \(error.code)") }
        )
    }

    private func append(_ bytes: [UInt8], to writer: SpillWriter, _ name: String) {
        writer.append(ByteChunk(bytes)) { [steps] count in steps.add("\(name) \(count ?? -1)") }
    }

    private func finish(_ writer: SpillWriter) {
        writer.finish { [steps] file in steps.add("finished \(file?.count ?? -1)") }
    }

    /// Waits for the thread of body files, and for what its work puts behind it.
    private func settle() { for _ in 0..<3 { desk.parts.filesThread.perform {} } }

    /// Leaves so many bytes of the budget.
    private func leave(_ bytes: Int64) { #expect(budget.reserveFiles(budget.capacity - budget.used.total - bytes)) }

    @Test("while room is being made what comes later waits, and goes on in its order")
    func waiting() throws {
        leave(StoreLimits.fileCost(4096))
        let ticket = desk.parts.makeTicket()
        let body = writer(ticket)
        #expect(body.descriptor == -1 && body.read(1, at: 0) == nil && ticket.reserved == 0)
        append(bytes(1000), to: body, "first")
        append(bytes(3096), to: body, "second")
        settle()
        #expect(steps.take() == ["first 1000", "second 4096"] && requests.bytes.isEmpty)
        #expect(body.descriptor >= 0 && ticket.reserved == StoreLimits.fileCost(4096))
        // Then a page more is needed, once.
        append([1], to: body, "third")
        append([2], to: body, "fourth")
        finish(body)
        settle()
        #expect(steps.take().isEmpty && requests.bytes == [4096])
        // The room is reserved by the one who has made it.
        requests.answer(true)
        settle()
        #expect(steps.take() == ["third 4097", "fourth 4098", "finished 4098"] && requests.bytes.isEmpty)
        #expect(ticket.reserved == StoreLimits.fileCost(4098))
        #expect(body.read(4, at: 4095) == Array(bytes(3096).suffix(1)) + [1, 2])
    }

    @Test("a body that gets no room ends there, and gives back what it has; nothing that comes later is written")
    func refused() throws {
        leave(StoreLimits.fileCost(4096))
        let used = budget.used.files
        let ticket = desk.parts.makeTicket()
        let body = writer(ticket)
        append(bytes(4096), to: body, "first")
        append([1], to: body, "second")
        append([2], to: body, "third")
        finish(body)
        settle()
        #expect(steps.take() == ["first 4096"] && budget.used.files == used + StoreLimits.fileCost(4096))
        requests.answer(false)
        settle()
        #expect(steps.take() == ["second -1", "third -1", "finished -1"] && requests.bytes.isEmpty)
        #expect(ticket.reserved == 0 && budget.used.files == used && directory.drafts.isEmpty)
    }

    @Test("room that is granted to a body that was given up meanwhile is given back")
    func discarded() throws {
        leave(StoreLimits.fileCost(4096))
        let used = budget.used.files
        let body = writer(desk.parts.makeTicket())
        append(bytes(4096), to: body, "first")
        append([1], to: body, "second")
        settle()
        body.discard()
        settle()
        #expect(steps.take() == ["first 4096"] && budget.used.files == used && directory.drafts.isEmpty)
        #expect(budget.reserveFiles(4096))
        requests.answer(true)
        settle()
        #expect(steps.take() == ["second -1"] && budget.used.files == used)
    }

    @Test("content as long as the limit of one object is written, and not a byte more, whatever room there is")
    func objectLimit() throws {
        let most = Int(budget.limits.maximumObjectSize)
        let body = writer(desk.parts.makeTicket())
        append(bytes(most - 1), to: body, "first")
        append([1], to: body, "second")
        append([2], to: body, "third")
        settle()
        #expect(steps.take() == ["first \(most - 1)", "second \(most)", "third -1"] && requests.bytes.isEmpty)
        #expect(budget.used.files == 0 && directory.drafts.isEmpty)
    }

    // MARK: Files that cannot be written

    @Test(
        "a write that fails is reported once, with its reason, and ends the body, which gives back its room",
        arguments: [("/dev/full", O_RDWR, ENOSPC), ("/dev/null", O_RDONLY, EBADF)]
    )
    func failedWrite(path: String, flags: Int32, code: Int32) throws {
        let body = writer(desk.parts.makeTicket())
        append(bytes(1000), to: body, "first")
        settle()
        // From here on the body's descriptor is that of another file.
        let other = open(path, flags | O_CLOEXEC)
        try #require(other >= 0)
        defer { close(other) }
        try #require(dup2(other, body.descriptor) == body.descriptor)
        append([1], to: body, "second")
        append([2], to: body, "third")
        finish(body)
        settle()
        #expect(steps.take() == ["first 1000", "full \(code)", "second -1", "third -1", "finished -1"])
        #expect(budget.used.files == 0 && directory.drafts.isEmpty && requests.bytes.isEmpty)
    }

    @Test("a file that cannot be made for another reason than a full disk ends the body alone")
    func unmade() throws {
        let ticket = desk.parts.makeTicket()
        try #require(rmdir(home.path("store/spill")) == 0)
        let body = writer(ticket)
        append([1], to: body, "first")
        finish(body)
        settle()
        #expect(steps.take() == ["first -1", "finished -1"] && body.descriptor == -1)
        #expect(ticket.reserved == 0 && budget.used.files == 0)
    }

    @Test(
        "a full disk that has no room for a file is reported",
        .enabled(if: NoRoomForFiles.isPossible, "needs the right to mount a small file system")
    )
    func noRoomForFile() throws {
        let home = TemporaryDirectory()
        let disk = try #require(NoRoomForFiles("full/spill", in: home))
        defer { withExtendedLifetime(disk) {} }
        // A store already, so that it may have a directory of this name.
        try home.write("", to: "full/respite-store")
        let desk = try WriterDesk(StoreConfiguration(directory: home.path("full"), limit: 4 << 20))
        let body = writer(desk.parts.makeTicket(), desk)
        append([1], to: body, "first")
        append([2], to: body, "second")
        for _ in 0..<3 { desk.parts.filesThread.perform {} }
        #expect(steps.take() == ["full \(ENOSPC)", "first -1", "second -1"])
        #expect(desk.parts.diskBudget.used.files == 0)
    }

    // MARK: Tickets

    @Test("a draft has its room until it gets a row or is removed, and gives it back once")
    func tickets() throws {
        #expect(budget.reserveFiles(10_000))
        let stored = desk.parts.makeTicket(reserved: 6_000)
        #expect(stored.reserved == 6_000)
        stored.setReserved(7_000)
        #expect(stored.reserved == 7_000)
        stored.markStored()
        stored.setReserved(1)
        stored.remove()
        settle()
        #expect(stored.reserved == 0 && budget.used.files == 10_000)
        let removed = desk.parts.makeTicket(reserved: 3_000)
        #expect(removed.file > stored.file)
        _ = try directory.makeDraft(removed.file)
        removed.remove()
        removed.remove()
        removed.setReserved(5)
        settle()
        #expect(removed.reserved == 0 && budget.used.files == 7_000 && directory.drafts.isEmpty)
    }

    // MARK: Blocks

    @Test("each MiB of a body has a sum of its own, however it came", arguments: [300_000, 1 << 20, (1 << 20) + 1])
    func blocks(piece: Int) throws {
        let block = 1 << 20
        for (count, sums) in [(0, 0), (1, 1), (block, 1), (block + 1, 2), (2 * block, 2)] {
            let content = bytes(count)
            let spill = try SpillFile(desk.parts.makeTicket())
            var rest = content[...]
            while !rest.isEmpty {
                try spill.append(ByteChunk(Array(rest.prefix(piece))))
                rest = rest.dropFirst(piece)
            }
            let file = spill.finish(worker: desk.parts.filesThread)
            let expected = stride(from: 0, to: count, by: block).map { start in
                Checksum.sum(Array(content[start..<min(start + block, count)]))
            }
            #expect(file.count == Int64(count) && file.blockSums == expected && expected.count == sums, "\(count)")
        }
    }

    @Test("a body that grows needs room for whole pages, beyond what it has")
    func missing() throws {
        let ticket = desk.parts.makeTicket()
        let spill = try SpillFile(ticket)
        #expect(spill.missingReservation(for: 1) == 8192 && spill.missingReservation(for: 4097) == 12_288)
        ticket.setReserved(8192)
        #expect(spill.missingReservation(for: 4096) == 0 && spill.missingReservation(for: 4097) == 4096)
        try spill.append(ByteChunk(bytes(4096)))
        #expect(spill.missingReservation(for: 0) == 0 && spill.missingReservation(for: 1) == 4096)
        ticket.setReserved(100_000)
        #expect(spill.missingReservation(for: 1) == 0)
    }
}
