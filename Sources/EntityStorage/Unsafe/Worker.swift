import CLinux
import Glibc

/// A thread of its own that runs jobs one after the other, in the order they were submitted.
///
/// SQLite and files block: nothing of them runs on a loop. Signals are blocked on the thread, so that a file-size limit
/// shows as an error of `write` and signals for the daemon reach its own thread. The thread ends after `stop()`, once
/// the jobs submitted before have run.
@safe
final class Worker: @unchecked Sendable {
    // The mutex guards all mutable state below.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [@Sendable () -> Void] = []
    private var delayed: [(due: Int64, job: @Sendable () -> Void)] = []
    private var isStopped = false

    /// Starts the thread.
    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        start()
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Queues `job`; false, and without effect, after `stop()`.
    @discardableResult
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        var isTaken = false
        locked {
            guard !isStopped else { return }
            jobs.append(job)
            isTaken = true
            unsafe pthread_cond_signal(condition)
        }
        return isTaken
    }

    /// Runs `job` behind what is queued and waits for its end.
    ///
    /// Never call it on this worker's own thread.
    func perform(_ job: @escaping @Sendable () -> Void) {
        let latch = Latch()
        let isTaken = submit {
            job()
            latch.open()
        }
        if isTaken { latch.wait() }
    }

    /// Queues `job` once `delay` has passed; dropped if the worker stops before.
    func submit(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
        locked {
            guard !isStopped else { return }
            let due =
                Worker.now + max(0, delay.components.seconds * 1_000_000_000)
                + delay.components.attoseconds / 1_000_000_000
            let index = delayed.firstIndex { $0.due > due } ?? delayed.endIndex
            delayed.insert((due, job), at: index)
            unsafe pthread_cond_signal(condition)
        }
    }

    /// Runs what is queued, drops what is delayed, then ends the thread; does not wait for it.
    func stop() {
        locked {
            isStopped = true
            delayed = []
            unsafe pthread_cond_signal(condition)
        }
    }

    private func locked(_ body: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        body()
        unsafe pthread_mutex_unlock(mutex)
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    // MARK: The thread

    private func start() {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        var every = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&every)
        unsafe pthread_sigmask(SIG_BLOCK, &every, &previous)
        defer { unsafe _ = pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        let status = unsafe pthread_create(&thread, nil, { unsafe Worker.main($0) }, context)
        guard status == 0 else {
            preconditionFailure("cannot start a storage thread: error \(status)")
        }
        pthread_detach(thread)
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private func run() {
        while let batch = nextBatch() {
            for job in batch { job() }
        }
    }

    /// Waits for jobs; nil once the worker has stopped and nothing is left.
    private func nextBatch() -> [@Sendable () -> Void]? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        while true {
            moveDueJobs()
            if !jobs.isEmpty {
                var batch: [@Sendable () -> Void] = []
                swap(&batch, &jobs)
                return batch
            }
            if isStopped { return nil }
            guard let next = delayed.first else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec()
            time.tv_sec = Int(next.due / 1_000_000_000)
            time.tv_nsec = Int(next.due % 1_000_000_000)
            unsafe pthread_cond_timedwait(condition, mutex, &time)
        }
    }

    private func moveDueJobs() {
        guard !delayed.isEmpty else { return }
        let now = Worker.now
        let due = delayed.prefix { $0.due <= now }
        guard !due.isEmpty else { return }
        jobs.append(contentsOf: due.map(\.job))
        delayed.removeFirst(due.count)
    }
}
