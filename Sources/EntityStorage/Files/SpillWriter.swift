import HTTPCore
import Locking
import Platform
import Transforms

/// Writes a growing body on the thread for body files, in the order of the calls.
///
/// Before the file grows it reserves space in the disk budget; while the writer makes room, later calls wait in a
/// queue.
final class SpillWriter: BodyWriter, @unchecked Sendable {
    // The worker makes `@unchecked Sendable` true: variables change on its thread only, and a lock guards the open
    // file.
    private enum Step {
        case append(ByteChunk, @Sendable (Int64?) -> Void)
        case finish(@Sendable ((any BodyFile)?) -> Void)
    }

    private let diskBudget: DiskBudget
    private let worker: WorkerThread
    private let ticket: BodyTicket
    /// Makes room for this many bytes of files; calls back on any thread, with true if they are reserved.
    private let makeRoom: @Sendable (Int64, @escaping @Sendable (Bool) -> Void) -> Void
    private let onFull: @Sendable (FileError) -> Void
    private let opened = Lock<OpenFile?>(nil)

    // Only on the worker's thread:
    private var spill: SpillFile?
    private var steps: [Step] = []
    /// Whether the writer is making room for the first step.
    private var isWaiting = false
    private var isRefused = false
    /// Whether `finish` has made a body of the file, which now owns it.
    private var isFinished = false

    init(
        ticket: BodyTicket,
        diskBudget: DiskBudget,
        worker: WorkerThread,
        makeRoom: @escaping @Sendable (Int64, @escaping @Sendable (Bool) -> Void) -> Void,
        onFull: @escaping @Sendable (FileError) -> Void
    ) {
        self.ticket = ticket
        self.diskBudget = diskBudget
        self.worker = worker
        self.makeRoom = makeRoom
        self.onFull = onFull
    }

    /// -1 until the first bytes are flushed.
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
            // The ticket of a finished body removes the file if it gets no row.
            if !self.isFinished { self.ticket.remove() }
        }
    }

    // MARK: On the worker

    private func enqueue(_ step: Step) {
        steps.append(step)
        if !isWaiting { proceed() }
    }

    private func proceed() {
        while !isWaiting, !steps.isEmpty {
            switch steps.removeFirst() {
            case .append(let chunk, let completion): append(chunk, then: completion)
            case .finish(let completion): completion(finished())
            }
        }
    }

    private func append(_ chunk: ByteChunk, then completion: @escaping @Sendable (Int64?) -> Void) {
        guard let spill = open(), spill.count + Int64(chunk.count) <= diskBudget.limits.maximumObjectSize else {
            return refuse(completion)
        }
        let missing = spill.missingReservation(for: chunk.count)
        if missing == 0 || diskBudget.reserveFiles(missing) {
            ticket.setReserved(ticket.reserved + missing)
            return write(chunk, to: spill, then: completion)
        }
        isWaiting = true
        makeRoom(missing) { isGranted in
            self.worker.submit {
                self.isWaiting = false
                if isGranted, self.isRefused { self.diskBudget.releaseFiles(missing) }
                if isGranted, !self.isRefused, let spill = self.spill {
                    self.ticket.setReserved(self.ticket.reserved + missing)
                    self.write(chunk, to: spill, then: completion)
                } else {
                    self.refuse(completion)
                }
                self.proceed()
            }
        }
    }

    private func open() -> SpillFile? {
        if isRefused { return nil }
        if let spill { return spill }
        do {
            let made = try SpillFile(ticket)
            spill = made
            opened.withLock { $0 = made.file }
            return made
        } catch {
            if error.isFull { onFull(error) }
            return nil
        }
    }

    private func write(_ chunk: ByteChunk, to spill: SpillFile, then completion: @escaping @Sendable (Int64?) -> Void) {
        do {
            try spill.append(chunk)
            completion(spill.count)
        } catch {
            onFull(error)
            refuse(completion)
        }
    }

    private func refuse(_ completion: @Sendable (Int64?) -> Void) {
        isRefused = true
        ticket.remove()
        completion(nil)
    }

    private func finished() -> (any BodyFile)? {
        guard let spill = open() else { return nil }
        isFinished = true
        return spill.finish(worker: worker)
    }
}
