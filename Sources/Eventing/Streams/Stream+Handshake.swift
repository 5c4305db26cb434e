import HTTPCore
public import TransportSecurity

// TLS on a stream, by its `SecureChannel`.

extension Stream {
    /// Whether the stream uses TLS.
    public var isSecure: Bool { channel != nil }

    /// The protocol that ALPN chose, if the stream uses TLS.
    public var selectedProtocol: String? { channel?.engine.selectedProtocol }

    /// What TLS has agreed on; nil without TLS.
    public var securityFacts: TLSFacts? { channel?.engine.facts }

    /// Begins TLS; `engine` is our end of it.
    ///
    /// No bytes may be unsent. Unread bytes are the peer's first bytes of TLS. If the stream uses TLS already, the new
    /// TLS runs inside the old one.
    ///
    /// - Parameters:
    ///   - time: how long the handshake may take; nil: no limit.
    ///   - completion: called once, never within this call, and not after `close()`. After success the stream is used
    ///     as before. After a failure it is closed, unless a client sent plain HTTP to a server. Then the stream stays
    ///     open without TLS for an error response, and the received bytes are dropped.
    public func secure(
        by engine: TLSEngine,
        within time: Duration? = nil,
        _ completion: @escaping (Result<Void, StreamError>) -> Void
    ) {
        guard phase == .open, unsentBytes == 0 else {
            loop.atEndOfTurn { completion(.failure(.security(TLSError(.handshakeCut)))) }
            return
        }
        if let channel { engine.travel(through: channel.engine) }
        channel = SecureChannel(engine, completion: completion)
        phase = .securing
        deadlines.read = .max
        if let time {
            deadlines.read = (loop.now + time).nanoseconds
            deadlineDidChange()
        }
        engine.begin()
        watchReads(true)
        output.needsFlush = true
        markDirty()
    }

    // MARK: The handshake

    /// Passes unread bytes to the handshake, then sends the handshake's output.
    func continueHandshake() {
        guard let channel else { return }
        let bytes = input.takeUnread()
        if !bytes.isEmpty {
            let isDecrypted = channel.engine.isCarried
            input.unread += channel.process(bytes.span, isDecrypted: isDecrypted, through: loop.buffers.input)
        }
        handle(channel.handshakeStep, channel)
    }

    func readHandshake() {
        guard let channel else { return }
        let passage = loop.buffers.passage
        switch passage.receive(from: descriptor, at: 0, limit: ReadBuffer.capacity - channel.engine.slack) {
        case .bytes(let count):
            passage.withBytes(0..<count) {
                input.unread += channel.process($0, isDecrypted: false, through: loop.buffers.input)
            }
        case .end: channel.engine.inputDidEnd()
        case .wouldBlock: break
        case .failed(let code): return fail(StreamError(code))
        case .insecure(let error): return failSecurely(error)
        }
        handle(channel.handshakeStep, channel)
    }

    private func handle(_ step: SecureChannel.HandshakeStep, _ channel: SecureChannel) {
        switch step {
        case .goOn: sendNow()
        case .failed(let error): failSecurely(error)
        case .peerIsPlain(let error):
            self.channel = nil
            endHandshake(of: channel, .failure(.security(error)))
        case .established:
            // The last bytes of the handshake leave with the first of the content.
            output.needsFlush = true
            markDirty()
            endHandshake(of: channel, .success(()))
        }
    }

    private func endHandshake(of channel: SecureChannel, _ result: Result<Void, StreamError>) {
        phase = .open
        deadlines.read = .max
        channel.completion.take()?(result)
    }

    /// Sends the alert, if any, and closes.
    func failSecurely(_ error: TLSError) {
        _ = channel?.sendCiphertext(to: descriptor)
        fail(.security(error))
    }

    // MARK: Content

    /// Reads once from the socket; writes decrypted bytes after the first `offset` ones.
    func receive(through channel: SecureChannel, into buffer: ReadBuffer, at offset: Int) -> ReceiveResult {
        let result = channel.receive(from: descriptor, into: buffer, at: offset, through: loop.buffers.passage)
        if channel.engine.unsentBytes > 0 { output.needsFlush = true }
        return result
    }

    /// Reports an end that was received with the last bytes, after those are delivered.
    func reportEndOfChannel() {
        guard phase == .open, input.isWanted, !input.hasEnded, receiver != nil else { return }
        switch channel?.engine.ending {
        case nil: break
        case .closed: reachEnd()
        case .failed(let error): failSecurely(error)
        }
    }

    func transmit(through channel: SecureChannel) -> StreamError? {
        let (before, encryptedBefore) = (unsentBytes, channel.sentCiphertext)
        let result = channel.send(output.buffer, to: descriptor, mayWait: !watchesWrites, loop: loop)
        // A part of a batch that the socket accepted is progress, although the whole batch counts as unsent until it is
        // sent.
        return didTransmit(result, sent: before - unsentBytes, isProgress: channel.sentCiphertext > encryptedBefore)
    }

    // MARK: Closing

    /// Whether writing may end: the peer has got close_notify (RFC 8446 §6.1), or cannot get it.
    func mayEnd(_ channel: SecureChannel) -> Bool {
        guard phase == .sending || (output.endsWhenSent && !output.isShut) else { return true }
        channel.engine.close()
        guard channel.engine.unsentBytes > 0, transmit(through: channel) == nil else { return true }
        return channel.engine.unsentBytes == 0
    }

    /// Sends close_notify if there is room and no content is cut off by it.
    func sendCloseNotify(_ channel: SecureChannel) {
        guard phase == .open, unsentBytes == 0, !output.isShut else { return }
        channel.engine.close()
        _ = channel.sendCiphertext(to: descriptor)
    }
}
