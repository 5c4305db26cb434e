import HTTPCore
import HTTPServer

/// Lets requests pass to the fast path, if not all may.
///
/// A traced request takes the general path, which makes its span. So the fast path knows nothing of traces.
final class FastGate {
    private let gate: LoginGate?
    private let isTraced: Bool

    init(_ gate: LoginGate?, isTraced: Bool) {
        self.gate = gate
        self.isTraced = isTraced
    }

    /// Whether a request may be answered at once; it then has a login.
    func admits(_ head: RequestHead, on connection: ServerConnection) -> Bool {
        guard !isTraced, let gate else { return false }
        return gate.admits(head, on: connection)
    }
}
