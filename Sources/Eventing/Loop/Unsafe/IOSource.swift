import CLibevent
import Glibc
import Platform

/// A descriptor that a loop watches: the common part of streams, listeners and the loop's mailbox.
///
/// Bound to its loop. The loop keeps it alive from `register` until `release`.
@safe
public class IOSource {
    /// The loop this belongs to.
    public final let loop: EventLoop
    /// The descriptor; -1 once released.
    final var descriptor: Int32
    private final var readEvent: OpaquePointer?
    private final var writeEvent: OpaquePointer?
    /// Whether the read event is added to the loop.
    private(set) final var watchesReads = false
    /// Whether the write event is added to the loop.
    private(set) final var watchesWrites = false
    /// The index in the loop's list of sources; -1 while not registered.
    final var registration = -1

    init(loop: EventLoop, descriptor: Int32) {
        self.loop = loop
        self.descriptor = descriptor
    }

    deinit {
        // Only a source that was never registered comes here with events.
        if let event = unsafe readEvent { unsafe event_free(event) }
        if let event = unsafe writeEvent { unsafe event_free(event) }
    }

    /// The descriptor has bytes, the end, or an error to read.
    func descriptorIsReadable() {}

    /// The descriptor takes bytes again, or is connected.
    func descriptorIsWritable() {}

    /// The turn ends, and the source had asked for this call by `EventLoop.finishTurn(for:)`.
    func finishTurn() {}

    /// The loop ends: closes without any notice.
    func loopWillEnd() { release(closing: true) }

    /// Has the loop keep this object alive and close it at its own end.
    final func register() {
        guard registration < 0 else { return }
        registration = loop.sources.insert(self)
    }

    /// Watches for bytes to read, or stops doing so; one system call if that changes anything.
    final func watchReads(_ watch: Bool) {
        guard watch != watchesReads, descriptor >= 0 else { return }
        if unsafe readEvent == nil {
            unsafe readEvent = loop.base.makeEvent(for: self, descriptor: descriptor, writes: false)
        }
        guard let event = unsafe readEvent else { return }
        let result = unsafe watch ? event_add(event, nil) : event_del(event)
        if result == 0 { watchesReads = watch }
    }

    /// Watches for room to write, or stops doing so; the event exists only meanwhile.
    final func watchWrites(_ watch: Bool) {
        guard watch != watchesWrites, descriptor >= 0 else { return }
        if watch {
            guard let event = unsafe loop.base.makeEvent(for: self, descriptor: descriptor, writes: true) else {
                return
            }
            unsafe writeEvent = event
            watchesWrites = unsafe event_add(event, nil) == 0
        } else if let event = unsafe writeEvent {
            unsafe event_free(event)
            unsafe writeEvent = nil
            watchesWrites = false
        }
    }

    /// Takes the descriptor off the loop, which releases this object.
    ///
    /// - Parameter closing: whether the descriptor is closed, too.
    final func release(closing: Bool) {
        guard descriptor >= 0 else { return }
        if let event = unsafe readEvent { unsafe event_free(event) }
        if let event = unsafe writeEvent { unsafe event_free(event) }
        unsafe readEvent = nil
        unsafe writeEvent = nil
        watchesReads = false
        watchesWrites = false
        if closing { SocketCalls.close(descriptor) }
        descriptor = -1
        leaveLoop()
    }

    /// Has the loop release this object.
    final func leaveLoop() {
        guard registration >= 0 else { return }
        loop.sources.remove(registration)
        registration = -1
    }
}
