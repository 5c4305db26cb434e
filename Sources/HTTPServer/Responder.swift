public import Eventing
public import HTTPCore

/// Answers the requests of one listener on one loop.
///
/// All calls come on that loop.
public protocol Responder: AnyObject {
    /// Tries to answer at once, before an exchange is made: the path of a hit.
    ///
    /// Called only for requests of HTTP/1.1 without content or expectation. An implementation that answers appends a whole
    /// response to `output`, the connection's unsent bytes, in the right framing for `head`, with `Connection: close` if
    /// `connection.closesAfterThisRequest`; else it appends nothing. It MUST NOT keep `head` and MUST NOT suspend.
    func answerNow(_ head: RequestHead, on connection: ServerConnection, into output: inout [UInt8]) -> FastPathResult

    /// Takes an exchange over: it must come to `finish`, `cut` or `takeOver` at some time, not necessarily inside this call.
    func respond(to exchange: ServerExchange)
}

extension Responder {
    /// Nothing is answered at once.
    public func answerNow(
        _ head: RequestHead,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult { .unhandled }
}

/// What became of the attempt to answer at once.
public enum FastPathResult {
    /// Nothing was appended; make an exchange.
    case unhandled
    /// The whole response is in the output.
    case answered
    /// The response's head is in the output; its content goes out by reference behind it.
    case answeredWithBody(ByteChunk)
    /// The same, its content being in a file; apart, so that the others stay small.
    indirect case answeredWithFile(FileRegion)
}
