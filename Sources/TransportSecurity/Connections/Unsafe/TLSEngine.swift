import COpenSSL

/// One side of one TLS connection, without its socket: bytes of the peer go in, bytes for the peer come out.
///
/// Used by one thread at a time. `process` decrypts all its input up to a last, incomplete record, so that no bytes
/// wait inside.
@safe
public final class TLSEngine {
    /// How the peer's side of the connection ended.
    public enum Ending: Sendable, Hashable {
        /// By close_notify: the peer has sent everything.
        case closed
        case failed(TLSError)
    }

    /// The size of a record of which all but the last byte was received before.
    private static let slack = 17_408
    /// `process` needs room for its input and this many bytes more.
    public var slack: Int { Self.slack + (carrier?.slack ?? 0) }

    /// The context it was made from, kept alive.
    let context: any AnyObject & Sendable
    let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<Wire>
    private let sessionKey: [UInt8]
    public let isServer: Bool
    /// The first fault found in the peer's certificates.
    var certificateFault: CertificateFault?
    private var hasInput = false
    private var hasClosed = false
    /// The session that we offered.
    private var offered: Session?
    /// Whether the handshake is done: bytes can be written.
    public private(set) var isEstablished = false
    /// The outer engine, if this TLS connection runs inside another one.
    private var carrier: TLSEngine?
    /// How the peer's side ended; nil while it is open.
    public private(set) var ending: Ending?

    /// - Parameter ssl: this object takes ownership.
    init?(_ ssl: OpaquePointer, isServer: Bool, context: any AnyObject & Sendable, sessionKey: [UInt8]) {
        unsafe self.ssl = ssl
        self.isServer = isServer
        self.context = context
        self.sessionKey = sessionKey
        unsafe wire = .allocate(capacity: 1)
        unsafe wire.initialize(to: Wire())
        guard let bio = unsafe Wire.makeBIO(wire) else { return nil }
        // OpenSSL owns the BIO from here on, for both directions.
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        if isServer { unsafe SSL_set_accept_state(ssl) } else { unsafe SSL_set_connect_state(ssl) }
    }

    deinit {
        // Without this OpenSSL would forget a session whose connection ended without close_notify.
        if isEstablished { unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        forgetOfferedSession()
        unsafe SSL_free(ssl)
        unsafe wire.deinitialize(count: 1)
        unsafe wire.deallocate()
    }

    /// The engine that owns `ssl`.
    static func of(_ ssl: OpaquePointer) -> TLSEngine? {
        guard let pointer = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: The peer's bytes

    /// Begins the handshake: a client's hello is the first output.
    public func begin() {
        ErrorQueue.clear()
        shakeHands()
        forward()
    }

    /// Decrypts bytes of the peer to the front of `output`, which needs room for `slack` bytes more than `input`.
    ///
    /// - Returns: the number of decrypted bytes.
    public func process(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int {
        guard let carrier else { return decrypt(input, into: &output) }
        var content = [UInt8](repeating: 0, count: input.count + carrier.slack)
        var room = content.mutableSpan
        let count = carrier.process(input, into: &room)
        return processCarried(content.span.extracting(0..<count), into: &output)
    }

    private func decrypt(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int {
        guard ending == nil, isTLS(input) else { return 0 }
        return unsafe input.withUnsafeBufferPointer { source in
            unsafe wire.pointee.input = source.baseAddress
            unsafe wire.pointee.left = source.count
            defer {
                unsafe wire.pointee.input = nil
                unsafe wire.pointee.left = 0
            }
            return unsafe output.withUnsafeMutableBufferPointer { unsafe run($0) }
        }
    }

    /// Whether a part of a record was received, so that more bytes of it are expected.
    public var hasPartialRecord: Bool {
        if let carrier, carrier.hasPartialRecord { return true }
        // "RB": the header was received, and nothing of the body.
        return unsafe SSL_has_pending(ssl) == 1 || SSL_rstate_string(ssl)[1] == UInt8(ascii: "B")
    }

    /// Notes the end of the connection; without close_notify before, content may be cut off.
    public func inputDidEnd() {
        if ending == nil { ending = .failed(TLSError(isEstablished ? .contentCut : .handshakeCut)) }
        forgetOfferedSession()
    }

    // MARK: TLS within TLS

    /// Sends the bytes of this engine as content of `outer`, an established engine of the same connection.
    ///
    /// Call it before `begin`. From then on `process` accepts bytes of the connection, and `outer` has the bytes for
    /// the peer.
    public func travel(through outer: TLSEngine) { carrier = outer }

    /// Whether it runs inside another engine.
    public var isCarried: Bool { carrier != nil }

    /// Processes bytes that the outer engine has decrypted already; otherwise like `process`.
    public func processCarried(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int {
        let count = input.isEmpty ? 0 : decrypt(input, into: &output)
        forward()
        if ending == nil, let end = carrier?.ending { endWith(end) }
        return count
    }

    /// Notes the end of the outer engine; without close_notify of this one before, content may be cut off.
    private func endWith(_ end: Ending) {
        switch end {
        case .closed: inputDidEnd()
        case .failed: ending = end
        }
    }

    /// Passes bytes for the peer to the outer engine.
    private func forward() {
        guard let carrier, unsafe wire.pointee.output.count > wire.pointee.sent else { return }
        let output = unsafe wire.pointee.output
        carrier.write(unsafe output.span.extracting(wire.pointee.sent..<output.count))
        unsafe wire.pointee.output = []
        unsafe wire.pointee.sent = 0
        if case .failed = carrier.ending, ending == nil { ending = carrier.ending }
    }

    private func run(_ target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        ErrorQueue.clear()
        if !isEstablished { shakeHands() }
        guard isEstablished, let start = target.baseAddress else { return 0 }
        var count = 0
        while count < target.count {
            let result = unsafe SSL_read(ssl, start + count, Int32(clamping: target.count - count))
            guard result > 0 else {
                noteOutcome(result)
                return count
            }
            count += Int(result)
        }
        if unsafe wire.pointee.left > 0 || SSL_has_pending(ssl) == 1 {
            ending = .failed(TLSError(.protocolFault("no room for what came")))
        }
        return count
    }

    private func shakeHands() {
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { isEstablished = true } else { noteOutcome(result) }
        if ending != nil { forgetOfferedSession() }
    }

    /// Drops a session that we offered: if the server cannot handle it, it must not fail the next handshake, too.
    private func forgetOfferedSession() {
        guard !isEstablished, offered != nil else { return }
        offered = nil
        sessions?.forget(sessionKey)
    }

    private func noteOutcome(_ result: Int32) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        // Before the end of the handshake no content is complete.
        case SSL_ERROR_ZERO_RETURN: ending = isEstablished ? .closed : .failed(TLSError(.handshakeCut))
        default: ending = .failed(takeError())
        }
    }

    private func takeError() -> TLSError {
        let error = ErrorQueue.takeTLSError()
        if case .alert = error.reason { return error }
        guard let certificateFault else { return error }
        return TLSError(.certificate(certificateFault))
    }

    /// Decides by the peer's first byte whether it uses TLS: the first record is a handshake's or an alert's.
    private func isTLS(_ input: Span<UInt8>) -> Bool {
        guard !hasInput, input.count > 0 else { return true }
        hasInput = true
        if input[0] == 0x16 || input[0] == 0x15 { return true }
        ending = .failed(TLSError(.notTLS(isHTTP: isServer ? looksLikeRequest(input) : input[0] == UInt8(ascii: "H"))))
        return false
    }

    private func looksLikeRequest(_ input: Span<UInt8>) -> Bool { (0x41...0x5A).contains(input[0]) }

    // MARK: Bytes for the peer

    /// Encrypts all of `bytes`, which makes the output grow.
    public func write(_ bytes: Span<UInt8>) {
        guard isEstablished, !hasClosed, bytes.count > 0 else { return }
        ErrorQueue.clear()
        let written = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe SSL_write(ssl, source.baseAddress, Int32(clamping: source.count))
        }
        // The BIO accepts everything: only a broken connection gives another number.
        if Int(written) != bytes.count, ending == nil || ending == .closed { ending = .failed(takeError()) }
        forward()
    }

    /// Sends close_notify: no more content follows.
    public func close() {
        guard isEstablished, !hasClosed else { return }
        if case .failed = ending { return }
        hasClosed = true
        ErrorQueue.clear()
        unsafe SSL_shutdown(ssl)
        ErrorQueue.clear()
        forward()
        carrier?.close()
    }

    /// How many bytes for the peer have not been sent yet.
    public var unsentBytes: Int {
        if let carrier { return carrier.unsentBytes }
        return unsafe wire.pointee.output.count - wire.pointee.sent
    }

    /// Lends the bytes for the peer to `send`, which returns how many it sent, or a negative number.
    public func sendOutput<E>(_ send: (Span<UInt8>) throws(E) -> Int) throws(E) {
        if let carrier { return try carrier.sendOutput(send) }
        let output = unsafe wire.pointee.output
        let taken = unsafe try send(output.span.extracting(wire.pointee.sent..<output.count))
        guard taken > 0 else { return }
        unsafe wire.pointee.sent += min(taken, unsentBytes)
    }

    /// Uses `spare` for the output while the own array is empty, so that many connections share one array.
    public func borrowStore(_ spare: inout [UInt8]) {
        if let carrier { return carrier.borrowStore(&spare) }
        guard unsentBytes == 0 else { return }
        unsafe wire.pointee.sent = 0
        unsafe wire.pointee.output = []
        unsafe swap(&wire.pointee.output, &spare)
    }

    /// Returns the array if it is empty; `spare` is then the larger of the two.
    public func leaveStore(_ spare: inout [UInt8]) {
        if let carrier { return carrier.leaveStore(&spare) }
        guard unsentBytes == 0 else { return }
        unsafe wire.pointee.sent = 0
        unsafe wire.pointee.output.removeAll(keepingCapacity: true)
        if unsafe wire.pointee.output.capacity > spare.capacity { unsafe swap(&wire.pointee.output, &spare) }
        unsafe wire.pointee.output = []
    }

    // MARK: What was agreed

    /// Whether the server has presented its certificate, or a session was resumed.
    public var hasAnswered: Bool {
        let state = unsafe SSL_get_state(ssl)
        // A server that requests another hello has not presented a certificate.
        return state != TLS_ST_BEFORE && state != TLS_ST_SR_CLNT_HELLO && state != TLS_ST_SW_SRVR_HELLO
    }

    /// The protocol that ALPN chose.
    public var selectedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Whether an earlier session was resumed.
    public var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// The version, such as `TLSv1.3`.
    public var version: String { unsafe SSL_get_version(ssl).map { unsafe String(cString: $0) } ?? "" }

    /// On a server's side, the host that the client asked for (SNI).
    public var serverName: String? {
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { unsafe String(cString: $0) }
    }

    // MARK: A client's side

    /// Sets the host for SNI and for the verification of its certificate; returns false if OpenSSL does not accept it.
    func aim(at host: [UInt8], verifies: Bool) -> Bool {
        let name = String(decoding: host, as: UTF8.self)
        let parameters = unsafe SSL_get0_param(ssl)
        // An address is not sent by SNI (RFC 6066 §3), and only an address in the certificate matches it.
        let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
        ErrorQueue.clear()
        if isAddress { return true }
        guard unsafe respite_ssl_set_server_name(ssl, name) == 1 else { return false }
        guard verifies else { return true }
        // No partial wildcards, no common names (RFC 9525 §6.3, §2).
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, flags)
        return unsafe X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
    }

    func resume(_ session: Session) {
        guard unsafe SSL_set_session(ssl, session.raw) == 1 else { return }
        offered = session
    }

    /// Keeps a session; one from a resumed session keeps its age, since only full handshakes present certificates.
    func keep(_ session: OpaquePointer) {
        let verified = isResumed ? offered?.verificationTime : nil
        unsafe sessions?.keep(Session(owning: session, verificationTime: verified), for: sessionKey)
    }

    private var sessions: SessionStore? { (context as? TLSClientContext)?.sessions }
}
