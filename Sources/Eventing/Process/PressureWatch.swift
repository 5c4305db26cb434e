/// Calls when memory is short, on a thread of its own that ends with this object (S-018).
///
/// The kernel tells at most once for each window of its trigger.
public final class PressureWatch: Sendable {
    private let wakeUp: OpenFile
    private let thread: Thread

    /// - Parameters:
    ///   - source: the file that tells.
    ///   - handler: called on the watch's thread.
    ///   - lost: the same, once, if the file tells nothing any more.
    public init(
        _ source: PressureSource,
        _ handler: @escaping @Sendable () -> Void,
        lost: @escaping @Sendable () -> Void = {}
    ) throws(EventError) {
        let opened: (file: OpenFile, isStream: Bool)
        switch PressureCalls.open(source) {
        case .success(let made): opened = made
        case .failure(let error): throw EventError(.cannotOpen, "\(source.path): \(error)", underlying: error)
        }
        let wakeUp: OpenFile
        switch SocketCalls.makeWakeUp() {
        case .success(let descriptor): wakeUp = OpenFile(adopting: descriptor)
        case .failure(let error): throw EventError(.cannotOpen, "no eventfd: \(error)", underlying: error)
        }
        self.wakeUp = wakeUp
        let (file, isStream) = opened
        thread = try Thread(name: "pressure") {
            while true {
                switch PressureCalls.wait(file, isStream: isStream, wakeUp: wakeUp) {
                case .pressure: handler()
                case .woken: return
                case .lost: return lost()
                }
            }
        }
    }

    deinit { SocketCalls.wakeUp(wakeUp.descriptor) }

    /// Ends it: no call comes after this, and none is under way.
    public func stop() {
        SocketCalls.wakeUp(wakeUp.descriptor)
        thread.join()
    }
}
