/// Calls a handler whenever memory is short, on a thread of its own that ends with this object (S-018).
///
/// The kernel reports at most once for each window of the trigger.
public final class PressureWatch: Sendable {
    private let wakeUp: WakeUp
    private let thread: Thread

    /// - Parameters:
    ///   - source: the file that reports.
    ///   - handler: called on the watch's thread.
    ///   - lost: called on it, too, once, if the file reports no more.
    public init(
        _ source: PressureSource,
        _ handler: @escaping @Sendable () -> Void,
        lost: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        let file = try PressureFile(source)
        let wakeUp = try WakeUp()
        self.wakeUp = wakeUp
        thread = try Thread(name: "pressure") {
            while true {
                switch file.wait(wakeUp) {
                case .pressure: handler()
                case .woken: return
                case .lost: return lost()
                }
            }
        }
    }

    deinit { wakeUp.signal() }

    /// Ends the watch; when it returns, no call runs, and none will.
    public func stop() {
        wakeUp.signal()
        thread.join()
    }
}
