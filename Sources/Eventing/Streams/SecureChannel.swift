import HTTPCore
import Platform
import TransportSecurity

/// TLS between a stream and its socket.
///
/// It decrypts received bytes at once, down to an incomplete record. So no bytes wait inside without an event of the
/// socket. Written bytes count as unsent until the socket has accepted them encrypted.
final class SecureChannel {
    /// What the handshake needs next.
    enum HandshakeStep {
        /// Bytes are to be sent or received.
        case goOn
        case established
        /// A server's client speaks HTTP without TLS.
        case peerIsPlain(TLSError)
        case failed(TLSError)
    }

    /// How many bytes are encrypted before they are sent.
    private static let batch = 65536
    /// How many encrypted bytes may wait for the socket: a batch, and TLS's own replies.
    private static let unsentLimit = 4 * batch
    /// How many bytes are encrypted and sent before other streams have a turn.
    private static let turnLimit = 4 << 20

    let engine: TLSEngine
    /// Called with the result of the handshake.
    var completion: ((Result<Void, StreamError>) -> Void)?
    /// How many encrypted bytes the socket has accepted.
    private(set) var sentCiphertext: Int64 = 0

    init(_ engine: TLSEngine, completion: @escaping (Result<Void, StreamError>) -> Void) {
        self.engine = engine
        self.completion = completion
    }

    /// With more unread bytes than this, the loop's buffer has too little room for TLS behind them.
    var roomForUnread: Int { ReadBuffer.capacity - 15360 - engine.slack }

    // MARK: The handshake

    var handshakeStep: HandshakeStep {
        guard !engine.isEstablished else { return .established }
        switch engine.ending {
        case nil: return .goOn
        case .closed: return .failed(TLSError(.handshakeCut))
        case .failed(let error) where engine.isServer && !engine.isCarried && error.reason == .notTLS(isHTTP: true):
            return .peerIsPlain(error)
        case .failed(let error): return .failed(error)
        }
    }

    /// Processes bytes of the peer during the handshake; returns content that followed directly.
    ///
    /// - Parameter isDecrypted: whether an outer engine has decrypted them.
    func process(_ bytes: Span<UInt8>, isDecrypted: Bool, through buffer: ReadBuffer) -> [UInt8] {
        let count = buffer.withRoom(from: 0) {
            isDecrypted ? engine.processCarried(bytes, into: &$0) : engine.process(bytes, into: &$0)
        }
        return count > 0 ? buffer.copy(0..<count) : []
    }

    // MARK: Reading

    /// Reads once from the socket through `passage`; writes decrypted bytes after the first `offset` ones of `buffer`.
    func receive(
        from descriptor: Int32,
        into buffer: ReadBuffer,
        at offset: Int,
        through passage: ReadBuffer
    )
        -> ReceiveResult
    {
        if let ending = engine.ending { return ReceiveResult(ending) }
        let limit = ReadBuffer.capacity - offset - engine.slack
        switch passage.receive(from: descriptor, at: 0, limit: limit) {
        case .bytes(let received):
            let count = passage.withBytes(0..<received) { bytes in
                buffer.withRoom(from: offset) { engine.process(bytes, into: &$0) }
            }
            // TLS's own replies, such as to key updates: a peer that asks for many and reads none is cut off.
            guard engine.unsentBytes <= Self.unsentLimit else {
                return .insecure(TLSError(.protocolFault("more answers are asked for than are taken")))
            }
            if count > 0 { return .bytes(count) }
            return engine.ending.map { ReceiveResult($0) } ?? .wouldBlock
        case .end:
            engine.inputDidEnd()
            return engine.ending.map { ReceiveResult($0) } ?? .end
        case let result: return result
        }
    }

    // MARK: Writing

    /// Encrypts and sends as much of `output` as the socket accepts.
    ///
    /// - Parameter mayWait: whether TLS's own bytes may wait for content, to leave in one segment with it.
    func send(_ output: OutputBuffer?, to descriptor: Int32, mayWait: Bool, loop: EventLoop) -> OutputBuffer.SendResult
    {
        var budget = Self.turnLimit
        while true {
            if engine.unsentBytes > 0, !(mayWait && waitsForContent(of: output)) {
                let result = sendCiphertext(to: descriptor)
                guard result == .drained else { return result }
                engine.leaveStore(&loop.buffers.ciphertext)
                output?.didSendEncrypted()
            }
            guard let output, output.count > 0 else { return .drained }
            guard budget > 0 else { return .blocked }
            engine.borrowStore(&loop.buffers.ciphertext)
            guard let count = encrypt(output, through: loop.buffers.passage) else { return .failed(.fileTruncated) }
            if case .failed(let error) = engine.ending { return .failed(.security(error)) }
            budget -= count
        }
    }

    /// Whether TLS's own bytes, not sent yet, leave together with content of `output`.
    private func waitsForContent(of output: OutputBuffer?) -> Bool {
        guard let output, engine.unsentBytes < 4096 else { return false }
        return output.inFlight == 0 && output.count > 0
    }

    /// Encrypts a part of the unsent bytes; nil if a file cannot be read.
    private func encrypt(_ output: OutputBuffer, through passage: ReadBuffer) -> Int? {
        var total = 0
        while output.count > output.inFlight, total < Self.batch {
            let count = output.lendFront(upTo: Self.batch - total, through: passage) { engine.write($0) }
            guard count > 0 else { return nil }
            output.didEncrypt(count)
            total += count
        }
        return total
    }

    func sendCiphertext(to descriptor: Int32) -> OutputBuffer.SendResult {
        var result = OutputBuffer.SendResult.drained
        while result == .drained, engine.unsentBytes > 0 {
            engine.sendOutput { bytes in
                switch SocketCalls.send(bytes, to: descriptor) {
                case .success(let count):
                    sentCiphertext += Int64(count)
                    if count < bytes.count { result = .blocked }
                    return count
                case .failure(let error):
                    result = error.isBlocked ? .blocked : .failed(StreamError(error.code))
                    return 0
                }
            }
        }
        return result
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
