import CLinux
import Glibc
import Locking

/// A thread of this process.
///
/// One that nobody joined is detached when the last reference goes: it ends by itself, and its stack with it.
@safe
final class Thread: Sendable {
    private let identifier: Lock<pthread_t?>

    /// Starts a thread that runs `body` once; `name` is cut to 15 bytes.
    ///
    /// It holds all signals but those of a crash: they are for the thread that waits for them.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(EventError) {
        var identifier = pthread_t()
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var held = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&held)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&held, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &held, &previous)
        let result = unsafe pthread_create(&identifier, nil, runThread, start.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard result == 0 else {
            unsafe start.release()
            throw EventError(.noThread, "cannot start a thread", underlying: SystemError(result))
        }
        self.identifier = Lock(identifier)
    }

    deinit {
        if let identifier = identifier.withLock({ $0.take() }) { pthread_detach(identifier) }
    }

    /// Waits until the thread has ended; without effect if somebody did already.
    func join() {
        let taken = identifier.withLock { $0.take() }
        if let taken { pthread_join(taken, nil) }
    }

    /// A number that tells the calling thread from all others that run.
    static var currentIdentifier: UInt { UInt(pthread_self()) }

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

/// A queue whose reader sleeps while it is empty.
@safe
public final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    // The mutex makes it Sendable: it guards everything below.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var elements: [Element] = []
    private var first = 0
    private var isClosed = false

    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// How many elements wait.
    public var count: Int {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return elements.count - first
    }

    /// Appends an element; false if the queue is closed, or holds `limit` elements already.
    @discardableResult
    public func push(_ element: Element, limit: Int = .max) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard !isClosed, elements.count - first < limit else { return false }
        elements.append(element)
        unsafe pthread_cond_signal(condition)
        return true
    }

    /// Takes the oldest element, waiting for one; nil once the queue is closed and empty.
    public func pop() -> Element? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while first == elements.count && !isClosed { unsafe pthread_cond_wait(condition, mutex) }
        guard first < elements.count else { return nil }
        let element = elements[first]
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64 && first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Lets readers go once everything is taken.
    public func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
