import HTTPCore
import HTTPServer

/// Lets requests pass to the fast path, if not all may.
///
/// A traced request takes the general path, which makes its span, and so does one that must not see the store. So the
/// fast path knows nothing of traces.
final class FastGate {
    private let gate: LoginGate?
    private let isBypassed: Bool

    init(_ gate: LoginGate?, isBypassed: Bool) {
        self.gate = gate
        self.isBypassed = isBypassed
    }

    /// Whether a request may be answered at once; it then has a login.
    func admits(_ head: RequestHead, on connection: ServerConnection) -> Bool {
        guard !isBypassed, let gate else { return false }
        return gate.admits(head, on: connection)
    }
}
