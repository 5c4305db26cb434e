public import HTTPCore

/// Sends requests to origin servers, each in an exchange of its own.
public protocol ExchangeProvider: AnyObject, Sendable {
    /// The context on which exchanges of this provider call their receivers; call `start` on it, too.
    var context: any DeliveryContext { get }

    /// Whether requests that it may answer in place of the origin should have a ticket; must be constant.
    var wantsTickets: Bool { get }

    /// Begins an exchange, which retains the receiver until its last call.
    ///
    /// It calls the receiver only after this call has returned. If a reused connection dies before any byte of the
    /// response, the provider sends the request once more. It does so only with `repeatableContent`, or without content
    /// if the method is idempotent (H-089).
    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange
}

extension ExchangeProvider {
    /// False, unless a provider overrides it.
    public var wantsTickets: Bool { false }
}

/// One request to an origin server.
///
/// All calls may come from any thread; they take effect on the provider's context.
public protocol Exchange: AnyObject, Sendable {
    /// Allows the exchange to deliver `bytes` more of response content.
    func grant(_ bytes: Int)
    /// Sends request content; send no more than `exchangeWantsContent` has asked for.
    func send(_ chunk: ByteChunk)
    /// Ends the request content; call it after exactly the bytes that `framing` announces.
    func finish(trailers: Fields?)
    /// Abandons the exchange: it no longer calls the receiver, and closes the connection unless the message was
    /// complete.
    func cancel()
}

/// Receives the response of an exchange, on the provider's context.
///
/// The calls are any number of interim heads, then one head, content, and exactly one of end and failure. A failure may
/// come at any point.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// A 1xx head was received, other than a 101 or a 100 for our own expectation.
    func exchangeDidReceiveInterim(_ head: ResponseHead)
    /// The final head was received; it still has hop-by-hop fields.
    func exchangeDidReceive(_ head: ResponseHead)
    func exchangeDidReceive(_ chunk: ByteChunk)
    /// The end of the message is proven (RFC 9112 §8).
    func exchangeDidEnd(trailers: Fields?)
    /// Whether one call may deliver a response that was received in one piece; must be constant.
    var acceptsWholeResponses: Bool { get }
    /// Head, content and end of a response were received in one piece.
    ///
    /// The last call; only if `acceptsWholeResponses`.
    func exchangeDidReceive(_ whole: WholeResponse)
    func exchangeDidFail(_ failure: ExchangeFailure)
    /// The origin switched to the protocol that `OriginRequest.upgrade` names; the last call, in place of an end.
    ///
    /// - Parameters:
    ///   - head: the head of the 101.
    ///   - connection: belongs to the receiver from now on; its first bytes are those behind the head.
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection)
    /// `bytes` more of request content may be sent.
    func exchangeWantsContent(_ bytes: Int)
}

/// A connection to an origin that has left HTTP.
///
/// Only its provider and its receiver know its type.
public protocol SwitchedConnection: AnyObject {
    /// Closes now.
    func close()
}

extension ExchangeReceiver {
    /// Closes the connection: this receiver never asks for another protocol.
    public func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) { connection.close() }
}
