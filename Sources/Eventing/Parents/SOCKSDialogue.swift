import HTTPCore

/// CONNECT of SOCKS5 (RFC 1928), with user name and password if configured (RFC 1929).
struct SOCKSDialogue: ParentDialogue {
    enum Target: Equatable {
        /// Looked up by the proxy; at most 255 bytes.
        case name([UInt8])
        case address(IPAddress)
    }

    private enum Phase { case method, login, reply }

    private let target: Target
    private let port: UInt16
    private let login: ParentProxy.Login?
    private var phase = Phase.method

    init(_ target: Target, port: UInt16, login: ParentProxy.Login?) {
        self.target = target
        self.port = port
        self.login = login
    }

    mutating func begin() -> [UInt8] { login == nil ? [5, 1, 0] : [5, 2, 0, 2] }

    mutating func receive(_ bytes: Span<UInt8>) -> ParentDialogueStep {
        guard bytes.count > 0 else { return .needMore }
        // The login subprotocol has version 1, but some servers send 5: do not check it.
        if phase != .login, bytes[0] != 5 { return .failed(.notSOCKS(isHTTP: bytes[0] == UInt8(ascii: "H"))) }
        guard bytes.count > 1 else { return .needMore }
        switch phase {
        case .method: return didChoose(bytes[1])
        case .login:
            guard bytes[1] == 0 else { return .failed(.loginRefused) }
            phase = .reply
            return .goOn(consumed: 2, send: request)
        case .reply: return didReply(bytes)
        }
    }

    private mutating func didChoose(_ method: UInt8) -> ParentDialogueStep {
        switch (method, login) {
        case (0, _):
            phase = .reply
            return .goOn(consumed: 2, send: request)
        case (2, let login?):
            phase = .login
            let (user, password) = (login.user.prefix(255), login.password.prefix(255))
            return .goOn(
                consumed: 2,
                send: [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
            )
        case (0xFF, _): return .failed(.wantsLogin)
        default: return .failed(.notSOCKS(isHTTP: false))
        }
    }

    private var request: [UInt8] {
        let address: [UInt8]
        switch target {
        case .name(let name): address = [3, UInt8(min(255, name.count))] + name.prefix(255)
        case .address(let ip): address = [ip.isIPv4 ? 1 : 4] + ip.bytes
        }
        return [5, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    /// Reads the reply and skips the address in it.
    private func didReply(_ bytes: Span<UInt8>) -> ParentDialogueStep {
        guard bytes[1] == 0 else { return .failed(.reply(bytes[1])) }
        guard bytes.count > 4 else { return .needMore }
        let length: Int
        switch bytes[3] {
        case 1: length = 4
        case 3: length = 1 + Int(bytes[4])
        case 4: length = 16
        default: return .failed(.notSOCKS(isHTTP: false))
        }
        let end = 4 + length + 2
        return bytes.count < end ? .needMore : .done(consumed: end)
    }
}
