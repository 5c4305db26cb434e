import Eventing
import HTTPCore

/// Whether the clock is right, as far as this machine can tell.
enum ClockCheck {
    /// This program did not exist before: 2026-01-01.
    private static let earliest = HTTPDate(seconds: 1_767_225_600)

    /// - Parameter store: its index, and when that was written last, in seconds since 1970.
    static func finding(store: (path: String, written: Int64)? = nil, now: HTTPDate = .now) -> Finding {
        let text = String(decoding: now.bytes, as: UTF8.self)
        guard now > earliest else {
            return .fault("clock", "it says \(text)", "set it: the age of responses depends on it")
        }
        guard let store, store.written > now.seconds + 86_400 else { return .ok("clock", text) }
        let then = String(decoding: HTTPDate(seconds: store.written).bytes, as: UTF8.self)
        return .fault(
            "clock",
            "it says \(text), but \(store.path) was written on \(then)",
            "set the clock; if it was wrong then, empty the store by `respite purge --yes '**'`"
        )
    }
}
