import CLibevent
import LibC
import Platform

/// A descriptor that a loop watches: the base class of streams, listeners and the loop's mailbox.
///
/// Bound to its loop. The loop keeps it alive from `register` until `release`.
@safe
public class IOSource {
    /// The loop that it belongs to.
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
        // Only a source that was never registered still has events here.
        if let event = unsafe readEvent { unsafe event_free(event) }
        if let event = unsafe writeEvent { unsafe event_free(event) }
    }

    /// Called when the descriptor has bytes, the end, or an error to read.
    func descriptorIsReadable() {}

    /// Called when the descriptor accepts bytes again, or is connected.
    func descriptorIsWritable() {}

    /// Called at the end of the turn, if the source asked for it by `EventLoop.finishTurn(for:)`.
    func finishTurn() {}

    /// Called when the loop ends: closes without notifying anybody.
    func loopWillEnd() { release(closing: true) }

    /// Makes the loop keep this object alive, and close it when the loop ends.
    final func register() {
        guard registration < 0 else { return }
        registration = loop.sources.insert(self)
    }

    /// Starts or stops watching for bytes to read; costs one system call if that is a change.
    final func watchReads(_ watch: Bool) {
        guard watch != watchesReads, descriptor >= 0 else { return }
        if unsafe readEvent == nil {
            unsafe readEvent = loop.base.makeEvent(for: self, descriptor: descriptor, writes: false)
        }
        guard let event = unsafe readEvent else { return }
        let result = unsafe watch ? event_add(event, nil) : event_del(event)
        if result == 0 { watchesReads = watch }
    }

    /// Starts or stops watching for room to write; the event exists only meanwhile.
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

    /// Removes the descriptor from the loop, which releases this object.
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

    /// Makes the loop release this object.
    final func leaveLoop() {
        guard registration >= 0 else { return }
        loop.sources.remove(registration)
        registration = -1
    }
}
