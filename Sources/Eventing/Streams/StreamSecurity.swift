import TransportSecurity

/// What a stream has beside itself to speak TLS.
final class StreamSecurity {
    let engine: TLSEngine
    /// Told of the end of the handshake.
    var completion: ((Result<Void, StreamError>) -> Void)?
    /// Encrypted bytes the socket has taken.
    var sentCiphertext: Int64 = 0

    init(_ engine: TLSEngine, completion: @escaping (Result<Void, StreamError>) -> Void) {
        self.engine = engine
        self.completion = completion
    }
}
