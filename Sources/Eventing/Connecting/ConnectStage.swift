import TransportSecurity

/// A step on a connected stream before its user gets it; bound to its loop.
protocol ConnectStage: AnyObject {
    /// The failure to report if time runs out during this stage.
    var timeout: ConnectError.Reason { get }

    /// - Parameter completion: called once, with a failure or nil; never if the stream is closed before.
    func run(on stream: Stream, _ completion: @escaping (ConnectError.Reason?) -> Void)
}

/// The handshake of TLS with the target.
final class SecurityStage: ConnectStage {
    private let makeEngine: () -> TLSEngine?

    init(_ makeEngine: @escaping () -> TLSEngine?) { self.makeEngine = makeEngine }

    var timeout: ConnectError.Reason { .security(TLSError(.timeout)) }

    func run(on stream: Stream, _ completion: @escaping (ConnectError.Reason?) -> Void) {
        guard let engine = makeEngine() else { return completion(.exhausted) }
        stream.secure(by: engine) { result in
            switch result {
            case .success: completion(nil)
            case .failure(.security(let error)): completion(.security(error))
            // Some servers reset the connection instead of sending an alert.
            case .failure: completion(.security(TLSError(.handshakeCut)))
            }
        }
    }
}

/// The dialogue with a parent proxy until its connection leads to the target.
final class DialogueStage: ConnectStage, StreamDelegate {
    private let loop: EventLoop
    private var dialogue: any ParentDialogue
    /// Whether the target may send first; otherwise no byte may be received before one was sent.
    private let targetMayBegin: Bool
    private var completion: ((ConnectError.Reason?) -> Void)?

    init(_ dialogue: any ParentDialogue, targetMayBegin: Bool, loop: EventLoop) {
        self.dialogue = dialogue
        self.targetMayBegin = targetMayBegin
        self.loop = loop
    }

    var timeout: ConnectError.Reason { .parent(.timeout) }

    func run(on stream: Stream, _ completion: @escaping (ConnectError.Reason?) -> Void) {
        self.completion = completion
        stream.delegate = self
        let greeting = dialogue.begin()
        stream.write(copying: greeting.span)
    }

    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        var offset = 0
        while completion != nil {
            switch dialogue.receive(bytes.extracting(offset..<bytes.count)) {
            case .needMore: return offset
            case .goOn(let consumed, let answer):
                offset += consumed
                stream.write(copying: answer.span)
            case .done(let consumed):
                offset += consumed
                end(stream, offset < bytes.count && !targetMayBegin ? .parent(.earlyBytes) : nil)
            case .failed(let fault): end(stream, .parent(fault))
            }
        }
        return offset
    }

    func streamDidReachEnd(_ stream: Stream) { end(stream, .parent(.closed)) }

    func stream(_ stream: Stream, didFail error: StreamError) { end(stream, .parent(.closed)) }

    /// Calls the completion after the last bytes have been delivered: unread ones belong to the next owner.
    private func end(_ stream: Stream, _ reason: ConnectError.Reason?) {
        guard let completion else { return }
        self.completion = nil
        loop.atEndOfTurn {
            stream.delegate = nil
            completion(reason)
        }
    }
}
