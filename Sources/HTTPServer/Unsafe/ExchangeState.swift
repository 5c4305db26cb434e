import HTTPCore

/// What changes about an exchange, apart from its logic; exempt from the exclusivity checks for the reason given at
/// `ConnectionState`: they were a thirtieth of the instructions of a request that is passed on.
public class ExchangeState {
    enum Response {
        case waiting
        /// The head is out; `remaining` bytes of a `.length` framing are not.
        case content(Framing, remaining: Int64)
        case ended
    }

    /// A word for the access log that says what became of the request; the responder's.
    @safe @exclusivity(unchecked) public final var remark: StaticString = "-"
    /// Called once when the exchange has ended: whether the response went out as announced.
    @safe @exclusivity(unchecked) public final var onEnd: ((_ exchange: ServerExchange, _ isComplete: Bool) -> Void)?
    /// Told what happens; held until the end of the exchange.
    @safe @exclusivity(unchecked) public final var delegate: (any ServerExchangeDelegate)?
    /// The status of the final response; nil until it has begun.
    @safe @exclusivity(unchecked) public internal(set) final var status: UInt16?
    /// Bytes of response content handed over so far, without framing.
    @safe @exclusivity(unchecked) public internal(set) final var contentBytes: Int64 = 0

    @safe @exclusivity(unchecked) final var connection: ServerConnection?
    @safe @exclusivity(unchecked) final var response = Response.waiting
    @safe @exclusivity(unchecked) final var content: RequestContent
    /// A `100 Continue` is still owed to the client.
    @safe @exclusivity(unchecked) final var owesContinue: Bool
    @safe @exclusivity(unchecked) final var hasToldEnd = false
    /// The client has sent its last byte, and that has been acted on.
    @safe @exclusivity(unchecked) final var hasNotedEnd = false
    /// The connection ends with this response.
    @safe @exclusivity(unchecked) final var isLast: Bool

    init(_ framing: Framing, expectsContinue: Bool, connection: ServerConnection, isLast: Bool) {
        self.connection = connection
        content = RequestContent(framing: framing, limits: connection.limits.parser)
        owesContinue = expectsContinue
        self.isLast = isLast
    }
}
