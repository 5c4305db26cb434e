import HTTPCore

/// What changes about a client's connection from request to request, apart from its logic.
///
/// Exempt from the dynamic exclusivity checks, which were a tenth of a hit's instructions: one thread uses it, and no access
/// to one of these runs code that could touch it again.
public class ConnectionState {
    enum Phase {
        /// Between requests; nothing of the next one has come.
        case idle
        /// A part of a head has come.
        case head
        /// A request is being answered.
        case exchange(ServerExchange)
        /// The stream belongs to somebody else.
        case handedOver
        /// Closed or closing.
        case ended
    }

    @safe @exclusivity(unchecked) final var phase = Phase.idle
    /// The client has sent its last byte; it may still be reading.
    @safe @exclusivity(unchecked) final var peerHasEnded = false
    @safe @exclusivity(unchecked) final var parser: RequestParser
    /// The head read so far, while a part of it is missing.
    @safe @exclusivity(unchecked) final var partialHead: RequestHead?
    /// Bytes of an unfinished head that count in the budget of all connections.
    @safe @exclusivity(unchecked) final var headBytes = 0
    /// Bytes are being handled: whoever ends an exchange meanwhile leaves it to the handling to go on.
    @safe @exclusivity(unchecked) final var isHandling = false
    /// The next request is not read until the client has taken what is unsent.
    @safe @exclusivity(unchecked) final var waitsForRoom = false
    @safe @exclusivity(unchecked) final var contentRate = ContentRate()
    /// The listener admits the client no more.
    @safe @exclusivity(unchecked) final var isExpelled = false

    /// Whether the response to the request at hand must say `Connection: close`.
    @safe @exclusivity(unchecked) public internal(set) final var closesAfterThisRequest = false

    init(parser: RequestParser) { self.parser = parser }
}
