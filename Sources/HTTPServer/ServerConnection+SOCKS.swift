import Eventing
import HTTPCore

/// Connections that begin with SOCKS: their one request becomes a CONNECT.
extension ServerConnection {
    /// Decides by the first byte of the connection which protocol it speaks.
    @inline(never)
    func begin(with first: UInt8) {
        phase = .idle
        // The version of SOCKS; no method of HTTP begins with such a byte.
        guard first == 5 || first == 4 else { return }
        let access = listener.responder.socksAccess(for: peer)
        guard access != .off else { return }
        handshake = SOCKSHandshake(access)
        phase = .socks
        // Greeting and request have the time of one head (H-125).
        stream.setReadDeadline(after: limits.headerTimeout)
    }

    /// Reads a message of SOCKS; returns how many bytes were consumed, 0 if it is not complete.
    @inline(never)
    func negotiate(_ bytes: Span<UInt8>) -> Int {
        switch handshake.receive(bytes) {
        case .needMore: return 0
        case .answer(let consumed, let answer):
            stream.append { $0 += answer }
            return consumed
        case .connect(let consumed, let target):
            guard let head = RequestHead(connectingTo: target) else {
                refuse(.target)
                return bytes.count
            }
            connect(head, target)
            return consumed
        case .failed(let fault):
            refuse(fault)
            return bytes.count
        }
    }

    private func connect(_ head: RequestHead, _ target: SOCKSTarget) {
        listener.statistics.requests += 1
        let exchange = ServerExchange(
            head,
            connection: self,
            isLast: true,
            socks: target.isAddress ? .address : .name
        )
        phase = .exchange(exchange)
        listener.responder.respond(to: exchange)
    }

    private func refuse(_ fault: SOCKSFault) {
        listener.statistics.refused += 1
        listener.responder.didRefuse(fault, from: peer)
        stream.append { $0 += fault.answer }
        close(lingering: true)
    }
}
