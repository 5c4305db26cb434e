/// Calls a handler whenever memory is short (S-018).
///
/// It has a thread, which ends with this object. The kernel reports at most once for each window of the trigger.
public final class PressureWatch: Sendable {
    private let wakeUp: WakeUp
    private let thread: Thread

    /// - Parameters:
    ///   - source: the file that reports.
    ///   - handler: called on the watch's thread.
    ///   - lost: called once on that thread if the file no longer reports.
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

    /// Ends the watch.
    ///
    /// After it returns, no call runs, and none follows.
    public func stop() {
        wakeUp.signal()
        thread.join()
    }
}
