import Exchanges
import ResourceCore

/// Changes responses on their way to a program: one element of a pipeline stage (S-178).
///
/// Sees the whole response and may change content, fields, messages, even turn a failure into a success or the other way
/// round. It runs once for each response from the network, however many wait for it (S-171), and not for local changes,
/// "not modified", and requests that are no network requests. Runs on background threads, several at once (S-182), and
/// SHOULD leave content it does not know as it is.
public protocol ResponseTransformer: Sendable {
    /// What becomes of `response`; the same if it is none of this transformer's business.
    func process(_ response: Response) -> Response
}

extension ResponseTransformer {
    /// Tells the log, category `pipeline`, that this transformer ran and what came out, and returns `result`.
    public func logTransformation(_ result: Response) -> Response {
        RespiteLog.log(.pipeline, "\(Self.self) → \(result)")
        return result
    }
}

/// Changes content only: not run where there is none (S-252).
protocol ContentTransforming: ResponseTransformer {}
