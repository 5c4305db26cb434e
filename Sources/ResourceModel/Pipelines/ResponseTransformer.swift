import Exchanges
import ResourceCore

/// Changes responses before a program sees them: one element of a pipeline stage (S-178).
///
/// It sees the whole response. It may change content, fields and messages, and even turn a failure into a success or
/// the reverse. It runs once for each response from the network, however many requests wait for it (S-171). It does not
/// run for local changes, "not modified", and requests without network. It runs on background threads, several at once
/// (S-182), and SHOULD leave content unchanged that it does not know.
public protocol ResponseTransformer: Sendable {
    /// Returns the new response; the same one if the transformer is not for it.
    func process(_ response: Response) -> Response
}

extension ResponseTransformer {
    /// Logs in the category `pipeline` that this transformer ran, and its result; returns `result`.
    public func logTransformation(_ result: Response) -> Response {
        RespiteLog.log(.pipeline, "\(Self.self) → \(result)")
        return result
    }
}

/// Changes content only: does not run without content (S-252).
package protocol ContentTransforming: ResponseTransformer {}
