import Dispatch
import Glibc

/// Calls a closure at SIGTERM and SIGINT, instead of ending the process, as long as this object exists.
final class Termination {
    private let sources: [any DispatchSourceSignal]

    init(_ action: @escaping @Sendable () -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: action)
            source.resume()
            return source
        }
    }
}
