import HTTPCore
import Locking
import Platform
import ResourceCore
import Transforms

/// Writes a growing body on the files' worker, in the order of the calls.
///
/// Before the file grows the limit is asked; while the writer makes room, later calls wait in line.
/// The worker makes `@unchecked Sendable` true: what changes is touched on its thread only, the open file is behind a lock.
final class SpillWriter: BodyWriter, @unchecked Sendable {
    private enum Step {
        case append(ByteChunk, @Sendable (Int64?) -> Void)
        case finish(@Sendable ((any BodyFile)?) -> Void)
    }

    private let directory: StoreDirectory
    private let space: DiskBudget
    private let worker: WorkerThread
    private let ticket: BodyTicket
    /// Makes room for so many bytes of files, then calls back on any thread with whether they are reserved.
    private let makeRoom: @Sendable (Int64, @escaping @Sendable (Bool) -> Void) -> Void
    private let onFull: @Sendable (FileError) -> Void
    private let opened = Lock<OpenFile?>(nil)

    // Only on the worker's thread:
    private var spill: SpillFile?
    private var line: [Step] = []
    private var isWaiting = false
    private var isRefused = false
    /// The file belongs to the body that was made of it.
    private var isFinished = false

    init(
        ticket: BodyTicket,
        directory: StoreDirectory,
        space: DiskBudget,
        worker: WorkerThread,
        makeRoom: @escaping @Sendable (Int64, @escaping @Sendable (Bool) -> Void) -> Void,
        onFull: @escaping @Sendable (FileError) -> Void
    ) {
        self.ticket = ticket
        self.directory = directory
        self.space = space
        self.worker = worker
        self.makeRoom = makeRoom
        self.onFull = onFull
    }

    /// -1 until something was reported as flushed.
    var descriptor: Int32 { opened.withLock { $0?.descriptor ?? -1 } }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? { try? opened.withLock { $0 }?.read(count, at: offset) }

    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {
        worker.submit { self.enqueue(.append(chunk, completion)) }
    }

    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) {
        worker.submit { self.enqueue(.finish(completion)) }
    }

    func discard() {
        worker.submit {
            self.isRefused = true
            // A finished body waits for its row, or was dropped: its ticket knows.
            if !self.isFinished { self.ticket.remove() }
        }
    }

    // MARK: On the worker

    private func enqueue(_ step: Step) {
        line.append(step)
        if !isWaiting { proceed() }
    }

    private func proceed() {
        while !isWaiting, !line.isEmpty {
            switch line.removeFirst() {
            case .append(let chunk, let completion): append(chunk, reply: completion)
            case .finish(let completion): completion(finished())
            }
        }
    }

    private func append(_ chunk: ByteChunk, reply: @escaping @Sendable (Int64?) -> Void) {
        guard let spill = open(), spill.count + Int64(chunk.count) <= space.budget.maximumObjectSize else {
            return refuse(reply)
        }
        let missing = spill.missingReservation(for: chunk.count)
        if missing == 0 || space.reserveFiles(missing) {
            ticket.setReserved(ticket.reserved + missing)
            return write(chunk, to: spill, reply: reply)
        }
        isWaiting = true
        makeRoom(missing) { isGranted in
            self.worker.submit {
                self.isWaiting = false
                if isGranted, self.isRefused { self.space.releaseFiles(missing) }
                if isGranted, !self.isRefused, let spill = self.spill {
                    self.ticket.setReserved(self.ticket.reserved + missing)
                    self.write(chunk, to: spill, reply: reply)
                } else {
                    self.refuse(reply)
                }
                self.proceed()
            }
        }
    }

    private func open() -> SpillFile? {
        if isRefused { return nil }
        if let spill { return spill }
        do {
            let made = try SpillFile(ticket, in: directory)
            spill = made
            opened.withLock { $0 = made.file }
            return made
        } catch {
            if error.isFull { onFull(error) }
            return nil
        }
    }

    private func write(_ chunk: ByteChunk, to spill: SpillFile, reply: @escaping @Sendable (Int64?) -> Void) {
        do {
            try spill.append(chunk)
            reply(spill.count)
        } catch {
            onFull(error)
            refuse(reply)
        }
    }

    private func refuse(_ reply: @Sendable (Int64?) -> Void) {
        isRefused = true
        ticket.remove()
        reply(nil)
    }

    private func finished() -> (any BodyFile)? {
        guard let spill = open() else { return nil }
        isFinished = true
        let body = spill.finish(worker: worker)
        // Rounding may have left more reserved than the file takes.
        let excess = ticket.reserved - Budget.fileCost(spill.count)
        if excess > 0 {
            ticket.setReserved(ticket.reserved - excess)
            space.releaseFiles(excess)
        }
        return body
    }
}
