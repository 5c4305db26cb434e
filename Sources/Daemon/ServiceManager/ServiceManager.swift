import Eventing
import LibC
import Locking
import Platform

/// Notifies the service manager (sd_notify(3)): ready, reloading, stopping, a status line, and watchdog signals while
/// all loops run.
///
/// Safe from any thread. It sends nothing without `NOTIFY_SOCKET`.
final class ServiceManager: Sendable {
    private let notifier: ServiceNotifier?
    /// The interval of watchdog signals; nil: the service manager expects none.
    private let interval: Duration?
    /// The status last sent.
    private let shown = Lock("")

    /// How often the status is checked if there are no watchdog signals.
    private static let statusInterval = Duration.seconds(10)

    /// - Parameter environment: has `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    init(environment: [String: String], processIdentifier: Int32 = getpid()) {
        notifier = environment["NOTIFY_SOCKET"].flatMap { ServiceNotifier(address: $0) }
        let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == processIdentifier } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 && isMeant ? $0 : nil }
        // Half of the limit, as sd_watchdog_enabled(3) recommends.
        interval = limit.map { .microseconds(max(1, $0 / 2)) }
    }

    func isReady(status: String) {
        shown.withLock { $0 = status }
        notifier?.send(["READY=1", "STATUS=\(status)"])
    }

    /// Call `isReady` once the new settings, or the old ones again, are in force.
    func isReloading() {
        notifier?.send(
            ["RELOADING=1", "MONOTONIC_USEC=\(SystemClock.awakeNanoseconds() / 1000)", "STATUS=reading the settings"]
        )
    }

    func isStopping() {
        notifier?.send(["STOPPING=1", "STATUS=draining"])
    }

    /// Starts watchdog signals, which continue while all of `loops` run; called on `loop`.
    ///
    /// - Parameter status: makes the status line; called on any of the loops.
    func watch(_ loops: [LoopHandle], on loop: EventLoop, status: @escaping @Sendable () -> String) {
        guard notifier != nil else { return }
        let watch = LoopWatch(loops) { [self] in
            let text = status()
            let isNews = shown.withLock { shown in
                defer { shown = text }
                return shown != text
            }
            let lines = (interval == nil ? [] : ["WATCHDOG=1"]) + (isNews ? ["STATUS=\(text)"] : [])
            if !lines.isEmpty { notifier?.send(lines) }
        }
        watch.run(every: interval ?? Self.statusInterval, on: loop)
    }
}
