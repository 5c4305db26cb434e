import CLinux
import LibC
import Locking

/// A thread of this process.
///
/// If nobody calls `join()`, it is detached when the last reference is released: it ends by itself, and frees its
/// stack.
@safe
public final class Thread: Sendable {
    private let identifier: Lock<respite_thread?>

    /// Starts a thread that runs `body` once.
    ///
    /// The thread blocks all signals but those of a crash: other signals go to the thread that waits for them. A limit
    /// on the size of files then shows as an error of `write`.
    /// - Parameter name: for `ps` and debuggers, which see the first 15 bytes.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var identifier = respite_thread()
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var blocked = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&blocked)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&blocked, number) }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        let result = unsafe respite_start_thread(&identifier, runThread, start.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard result == 0 else {
            unsafe start.release()
            throw SystemError(result, "cannot start a thread")
        }
        self.identifier = Lock(identifier)
    }

    deinit {
        if let identifier = identifier.withLock({ $0.take() }) { respite_detach_thread(identifier) }
    }

    /// Blocks until the thread has ended; without effect on later calls.
    public func join() {
        let taken = identifier.withLock { $0.take() }
        if let taken { respite_join_thread(taken) }
    }

    /// Blocks the calling thread for a while, for the loops of commands; the daemon has timers.
    public static func pause(for time: Duration) {
        _ = poll(nil, 0, Int32(clamping: time.limitedNanoseconds / 1_000_000))
    }

    /// A number of the calling thread, which no other running thread has.
    public static var currentIdentifier: UInt { UInt(respite_current_thread()) }

    fileprivate final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<Thread.Start>.fromOpaque(argument).takeRetainedValue()
    unsafe respite_name_thread(String(start.name.prefix(15)))
    start.body()
    return nil
}
