import CLibevent

/// The events of a loop for signals of the process.
@safe
final class SignalSource {
    private var events: [OpaquePointer] = unsafe []
    private let signals: [Int32]
    private let handler: (Int32) -> Void

    init(loop: EventLoop, signals: [Int32], handler: @escaping (Int32) -> Void) {
        self.handler = handler
        self.signals = signals
        for signal in signals {
            let made = unsafe loop.base.makeSignalEvent(for: self, signal: signal)
            guard let event = unsafe made else { continue }
            unsafe event_add(event, nil)
            unsafe events.append(event)
        }
    }

    deinit { cancel() }

    func didArrive(_ signal: Int32) { handler(signal) }

    func cancel() {
        // Without its event a signal would have the effect it had before, which may be to end the process.
        if unsafe !events.isEmpty { Signals.hold(signals) }
        unsafe events.forEach { unsafe event_free($0) }
        unsafe events = []
    }
}
