import CLibevent
import Platform

/// The events of a loop for signals of the process.
@safe
final class SignalSource {
    private var events: [OpaquePointer] = unsafe []
    private let signals: [Signal]
    private let handler: (Signal) -> Void

    init(loop: EventLoop, signals: [Signal], handler: @escaping (Signal) -> Void) {
        self.handler = handler
        self.signals = signals
        for signal in signals {
            let made = unsafe loop.base.makeSignalEvent(for: self, signal: signal.number)
            guard let event = unsafe made else { continue }
            unsafe event_add(event, nil)
            unsafe events.append(event)
        }
    }

    deinit { cancel() }

    func didArrive(_ number: Int32) {
        if let signal = signals.first(where: { $0.number == number }) { handler(signal) }
    }

    func cancel() {
        // Without its event a signal would have its default effect, which may be to end the process.
        if unsafe !events.isEmpty { Signal.block(signals) }
        unsafe events.forEach { unsafe event_free($0) }
        unsafe events = []
    }
}
