import CLibevent
import CLinux
import LibC

/// Owns one `event_base`, and the one event that all timers of the loop share.
@safe
struct EventBase: ~Copyable {
    private let raw: OpaquePointer
    private let timer: OpaquePointer
    private let timerFlag: UnsafeMutablePointer<Bool>

    init() throws(EventError) {
        let configuration = unsafe event_config_new()
        defer { if let configuration = unsafe configuration { unsafe event_config_free(configuration) } }
        unsafe event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let raw = unsafe event_base_new_with_config(configuration) else { throw EventError(.noEventBase) }
        let flag = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
        unsafe flag.initialize(to: false)
        let timer = unsafe event_new(
            raw,
            -1,
            0,
            { _, _, flag in
                unsafe flag?.assumingMemoryBound(to: Bool.self).pointee = true
            },
            flag
        )
        guard let timer = unsafe timer else {
            unsafe flag.deallocate()
            unsafe event_base_free(raw)
            throw EventError(.noEventBase)
        }
        unsafe self.raw = raw
        unsafe self.timer = timer
        unsafe timerFlag = flag
    }

    deinit {
        unsafe event_free(timer)
        unsafe event_base_free(raw)
        unsafe timerFlag.deallocate()
    }

    /// Waits for events, unless `mayBlock` is false, and runs their callbacks.
    borrowing func runOnce(mayBlock: Bool) {
        unsafe event_base_loop(raw, mayBlock ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK)
    }

    /// Ends the next or current wait after at most `nanoseconds`; nil: no limit.
    borrowing func armTimer(nanoseconds: Int64?) {
        guard let nanoseconds else {
            unsafe event_del(timer)
            return
        }
        // A microsecond more, so that the wait does not end just before the deadline.
        let microseconds = max(0, nanoseconds) / 1000 + 1
        var interval = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        unsafe event_add(timer, &interval)
    }

    /// Whether the timer fired since the last call.
    borrowing func takeTimerFlag() -> Bool {
        let flag = unsafe timerFlag.pointee
        unsafe timerFlag.pointee = false
        return flag
    }

    /// Makes an event that calls `source` when its descriptor is readable or writable.
    borrowing func makeEvent(for source: IOSource, descriptor: Int32, writes: Bool) -> OpaquePointer? {
        let context = unsafe Unmanaged.passUnretained(source).toOpaque()
        return unsafe writes
            ? event_new(raw, descriptor, Int16(EV_WRITE | EV_PERSIST), sourceIsWritable, context)
            : event_new(raw, descriptor, Int16(EV_READ | EV_PERSIST), sourceIsReadable, context)
    }

    /// Makes an event that calls `source` when the process gets `signal`.
    borrowing func makeSignalEvent(for source: SignalSource, signal: Int32) -> OpaquePointer? {
        let context = unsafe Unmanaged.passUnretained(source).toOpaque()
        return unsafe event_new(raw, signal, Int16(EV_SIGNAL | EV_PERSIST), signalDidArrive, context)
    }
}

// The callbacks are functions: a closure might be isolated to an actor.

private func sourceIsReadable(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    let source = unsafe Unmanaged<IOSource>.fromOpaque(context).takeUnretainedValue()
    source.descriptorIsReadable()
}

private func sourceIsWritable(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    let source = unsafe Unmanaged<IOSource>.fromOpaque(context).takeUnretainedValue()
    source.descriptorIsWritable()
}

private func signalDidArrive(signal: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    let source = unsafe Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue()
    source.didArrive(signal)
}
