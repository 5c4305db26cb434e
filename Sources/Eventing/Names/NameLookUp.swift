import HTTPCore

/// One request for the addresses of a name; bound to its loop.
public final class NameLookUp {
    typealias Completion = (Result<ResolvedName, NameError>) -> Void

    /// Nil once it has been called, or after a cancellation.
    private var completion: Completion?
    /// Withdraws the request from the resolver.
    var leave: (() -> Void)?

    init(_ completion: @escaping Completion) { self.completion = completion }

    /// Whether the addresses are still needed.
    var isWanted: Bool { completion != nil }

    /// Cancels the look-up; its completion is not called.
    public func cancel() {
        guard completion.take() != nil else { return }
        leave.take()?()
    }

    func deliver(_ answer: Result<ResolvedName, NameError>) {
        leave = nil
        completion.take()?(answer)
    }
}
