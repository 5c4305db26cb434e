public import Eventing
public import HTTPCore

/// Answers the requests of one listener on one loop.
///
/// All calls come on that loop.
public protocol Responder: AnyObject {
    /// Tries to answer at once, before an exchange is made: the fast path of a hit.
    ///
    /// Called only for requests of HTTP/1.1 without content or expectation. An implementation that answers appends a
    /// whole response to `output`, the connection's unsent bytes. The response has the right framing for `head`, and
    /// `Connection: close` if `connection.closesAfterThisRequest`. An implementation that does not answer appends
    /// nothing. It MUST NOT keep `head` and MUST NOT suspend.
    func answerNow(_ head: RequestHead, on connection: ServerConnection, into output: inout [UInt8]) -> FastPathResult

    /// The same for a request with content; `content` is all of it, and `head.framing` gave its length.
    ///
    /// An implementation MUST NOT keep `content`.
    func answerNow(
        _ head: RequestHead,
        content: Span<UInt8>,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult

    /// Accepts an exchange; the implementation MUST call its `finish`, `cut` or `takeOver`, within this call or
    /// later.
    func respond(to exchange: ServerExchange)

    /// Whether a client that begins with SOCKS is served; its requests come as exchanges of CONNECT.
    func socksAccess(for peer: SocketAddress) -> SOCKSAccess

    /// A client's SOCKS was refused before its request was complete.
    func didRefuse(_ fault: SOCKSFault, from peer: SocketAddress)
}

extension Responder {
    /// SOCKS is not spoken.
    public func socksAccess(for peer: SocketAddress) -> SOCKSAccess { .off }

    public func didRefuse(_ fault: SOCKSFault, from peer: SocketAddress) {}

    /// Answers nothing at once.
    public func answerNow(
        _ head: RequestHead,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult { .unhandled }

    /// Answers nothing at once.
    public func answerNow(
        _ head: RequestHead,
        content: Span<UInt8>,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult { .unhandled }
}

/// The result of trying to answer at once.
public enum FastPathResult {
    /// Nothing was appended; make an exchange.
    case unhandled
    /// The whole response is in the output.
    case answered
    /// The response's head is in the output; send this content behind it, by reference.
    case answeredWithBody(ByteChunk)
    /// As above, with content in a file; indirect, so that the other cases stay small.
    indirect case answeredWithFile(FileRegion)
}
