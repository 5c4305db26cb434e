import HTTPCore
import Platform
public import TransportSecurity

// TLS between a stream and its socket. What is read is decrypted at once, down to an incomplete record, so that nothing
// waits inside that no event of the socket would bring up; what is written counts as unsent until the socket has taken
// its encrypted form.

extension Stream {
    /// Bytes left unread above which TLS has too little room in the loop's buffer for what comes behind them.
    static func secureRoom(_ security: StreamSecurity) -> Int { ReadBuffer.capacity - 15360 - security.engine.slack }
    /// What is encrypted before it is sent.
    private static let batch = 65536
    /// Encrypted bytes that may wait for the socket: a batch, and answers of the protocol itself.
    private static let unsentLimit = 4 * batch
    /// What is encrypted and sent before others have a turn.
    private static let turnLimit = 4 << 20

    /// Whether the stream speaks TLS.
    public var isSecure: Bool { security != nil }

    /// The protocol chosen by ALPN, if the stream speaks TLS.
    public var selectedProtocol: String? { security?.engine.selectedProtocol }

    /// Goes over to TLS, of which `engine` is one end; nothing may be unsent, and bytes left unread are taken for the
    /// peer's first of TLS.
    ///
    /// A stream that speaks TLS already goes on to do so, and within it speaks TLS once more.
    /// - Parameters:
    ///   - time: how long the handshake may take; nil: as long as it does.
    ///   - completion: runs once, never within this call, and not at all after `close()`. After a failure the stream is
    ///     closed, unless a server's client speaks plain HTTP: it can be told so on the stream, which is open and plain
    ///     then; what came is dropped. After success it is a stream as before.
    public func secure(
        by engine: TLSEngine,
        within time: Duration? = nil,
        _ completion: @escaping (Result<Void, StreamError>) -> Void
    ) {
        guard phase == .open, unsentBytes == 0 else {
            loop.atEndOfTurn { completion(.failure(.security(TLSError(.handshakeCut)))) }
            return
        }
        if let security { engine.travel(through: security.engine) }
        security = StreamSecurity(engine, completion: completion)
        phase = .securing
        readDeadline = .max
        if let time {
            readDeadline = (loop.now + time).nanoseconds
            deadlineDidChange()
        }
        engine.begin()
        watchReads(true)
        needsFlush = true
        markDirty()
    }

    // MARK: The handshake

    /// Bytes that were left unread belong to the handshake; then what it has to say is sent.
    func advanceHandshake() {
        guard let security else { return }
        let bytes = leftover
        leftover = []
        if !bytes.isEmpty { process(bytes.span, security, isDecrypted: security.engine.isCarried) }
        settleHandshake(security)
    }

    func readHandshake() {
        guard let security else { return }
        let passage = loop.state.passageBuffer
        switch passage.receive(from: descriptor, at: 0, limit: ReadBuffer.capacity - security.engine.slack) {
        case .bytes(let count): passage.withBytes(0..<count) { process($0, security) }
        case .end: security.engine.inputDidEnd()
        case .wouldBlock: break
        case .failed(let code): return fail(StreamError(code))
        case .insecure(let error): return failSecurely(error)
        }
        settleHandshake(security)
    }

    /// Content may come right behind the handshake: it is left to be read.
    ///
    /// - Parameter isDecrypted: by the outer engine.
    private func process(_ bytes: Span<UInt8>, _ security: StreamSecurity, isDecrypted: Bool = false) {
        let buffer = loop.readBuffer
        let engine = security.engine
        let count = buffer.withRoom(from: 0) {
            isDecrypted ? engine.processCarried(bytes, into: &$0) : engine.process(bytes, into: &$0)
        }
        if count > 0 { leftover += buffer.copy(0..<count) }
    }

    private func settleHandshake(_ security: StreamSecurity) {
        if !security.engine.isEstablished {
            switch security.engine.ending {
            case nil: return flushAndSettle()
            case .closed: return failSecurely(TLSError(.handshakeCut))
            case .failed(let error)
            where security.engine.isServer && !security.engine.isCarried && error.reason == .notTLS(isHTTP: true):
                return stayPlain(security, error)
            case .failed(let error): return failSecurely(error)
            }
        }
        phase = .open
        readDeadline = .max
        let completion = security.completion
        security.completion = nil
        // The last words of the handshake leave with the first of the content.
        needsFlush = true
        markDirty()
        completion?(.success(()))
    }

    private func stayPlain(_ security: StreamSecurity, _ error: TLSError) {
        self.security = nil
        phase = .open
        readDeadline = .max
        security.completion?(.failure(.security(error)))
    }

    /// Sends the alert, if there is one, and closes.
    func failSecurely(_ error: TLSError) {
        if let security { _ = sendCiphertext(security.engine) }
        fail(.security(error))
    }

    // MARK: Reading

    /// Reads once from the socket; decrypted bytes come behind the first `offset` ones.
    func receiveSecurely(_ security: StreamSecurity, into buffer: ReadBuffer, at offset: Int) -> ReceiveResult {
        let engine = security.engine
        if let ending = engine.ending { return ReceiveResult(ending) }
        let passage = loop.state.passageBuffer
        let limit = ReadBuffer.capacity - offset - engine.slack
        switch passage.receive(from: descriptor, at: 0, limit: limit) {
        case .bytes(let received):
            let count = passage.withBytes(0..<received) { bytes in
                buffer.withRoom(from: offset) { engine.process(bytes, into: &$0) }
            }
            // Answers of the protocol itself, such as to a change of keys; who asks for many and takes none is cut.
            if engine.unsentBytes > 0 { needsFlush = true }
            guard engine.unsentBytes <= Self.unsentLimit else {
                return .insecure(TLSError(.protocolFault("more answers are asked for than are taken")))
            }
            if count > 0 { return .bytes(count) }
            return engine.ending.map { ReceiveResult($0) } ?? .wouldBlock
        case .end:
            engine.inputDidEnd()
            return engine.ending.map { ReceiveResult($0) } ?? .end
        case let outcome: return outcome
        }
    }

    /// The end that came together with the last bytes is told behind them.
    func lookForEnd() {
        guard phase == .open, wantsReads, !hasReachedEnd, heldDelegate != nil else { return }
        switch security?.engine.ending {
        case nil: break
        case .closed: reachEnd()
        case .failed(let error): failSecurely(error)
        }
    }

    // MARK: Writing

    func transmitSecurely(_ security: StreamSecurity) -> StreamError? {
        let (before, encryptedBefore) = (unsentBytes, security.sentCiphertext)
        let outcome = sendSecurely(security.engine)
        // What the socket took of a batch is progress, though the batch counts as unsent until it is gone.
        return note(outcome, sent: before - unsentBytes, isProgress: security.sentCiphertext > encryptedBefore)
    }

    private func sendSecurely(_ engine: TLSEngine) -> OutputBuffer.SendOutcome {
        var budget = Self.turnLimit
        while true {
            if engine.unsentBytes > 0, !mayAdd(engine) {
                let outcome = sendCiphertext(engine)
                guard outcome == .drained else { return outcome }
                engine.leaveStore(&loop.state.spareCiphertext)
                output?.didSendEncrypted()
            }
            guard let output, output.count > 0 else { return .drained }
            guard budget > 0 else { return .blocked }
            engine.borrowStore(&loop.state.spareCiphertext)
            guard let count = encrypt(output, engine) else { return .failed(.fileTruncated) }
            if case .failed(let error) = engine.ending { return .failed(.security(error)) }
            budget -= count
        }
    }

    /// The protocol's own bytes that have not been tried yet leave together with content, in one segment.
    private func mayAdd(_ engine: TLSEngine) -> Bool {
        guard let output, engine.unsentBytes < 4096 else { return false }
        return output.inFlight == 0 && output.count > 0 && !watchesWrites
    }

    /// Encrypts some of what is unsent; nil if a file cannot be read.
    private func encrypt(_ output: OutputBuffer, _ engine: TLSEngine) -> Int? {
        var total = 0
        while output.count > output.inFlight, total < Self.batch {
            let limit = Self.batch - total
            let count = output.lendFront(upTo: limit, through: loop.state.passageBuffer) { engine.write($0) }
            guard count > 0 else { return nil }
            output.didEncrypt(count)
            total += count
        }
        return total
    }

    private func sendCiphertext(_ engine: TLSEngine) -> OutputBuffer.SendOutcome {
        var outcome = OutputBuffer.SendOutcome.drained
        while outcome == .drained, engine.unsentBytes > 0 {
            engine.sendOutput { bytes in
                switch SocketCalls.send(bytes, to: descriptor) {
                case .success(let count):
                    security?.sentCiphertext += Int64(count)
                    if count < bytes.count { outcome = .blocked }
                    return count
                case .failure(let error):
                    outcome = error.isBlocked ? .blocked : .failed(StreamError(error.code))
                    return 0
                }
            }
        }
        return outcome
    }

    // MARK: Closing

    /// Whether writing may end: the peer has been told so (RFC 8446 §6.1), or cannot be.
    func mayEnd(_ security: StreamSecurity) -> Bool {
        guard phase == .sending || (shutsDownWhenSent && !isWriteShut) else { return true }
        security.engine.close()
        guard security.engine.unsentBytes > 0, transmitSecurely(security) == nil else { return true }
        return security.engine.unsentBytes == 0
    }

    /// Before a close at once: if nothing is cut by it, the peer is told, as far as there is room.
    func sayGoodbye(_ security: StreamSecurity) {
        guard phase == .open, unsentBytes == 0, !isWriteShut else { return }
        security.engine.close()
        _ = sendCiphertext(security.engine)
    }
}

extension ReceiveResult {
    fileprivate init(_ ending: TLSEngine.Ending) {
        switch ending {
        case .closed: self = .end
        case .failed(let error): self = .insecure(error)
        }
    }
}
