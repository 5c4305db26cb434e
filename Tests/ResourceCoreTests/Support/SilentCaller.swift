@testable import ResourceCore

/// Awaits a load, and does nothing with it.
final class SilentCaller: LoadCaller {
    func follow(_ load: Load) {}
    func loadDidEnd(_ outcome: LoadOutcome) {}
    func cancel(isServiceDropped: Bool) {}
}
