import HTTPCore

/// The client's half of opening a connection by SOCKS5: a greeting, then a request (RFC 1928 §3, §4).
///
/// Pure: it is shown all bytes that are not used yet, and returns how many it uses. A result depends on the bytes
/// alone, not on the pieces in which they arrive. No message is longer than 262 bytes.
package struct SOCKSHandshake {
    private enum Phase { case greeting, request }

    /// What to do next.
    package enum Step: Equatable {
        /// Show these bytes again, with more.
        case needMore
        /// Send these bytes and show the rest.
        case answer(consumed: Int, send: [UInt8])
        /// Connect; bytes behind the consumed ones are for the target.
        case connect(consumed: Int, SOCKSTarget)
        /// Send `fault.answer` and close.
        case failed(SOCKSFault)
    }

    /// The protocol's version, which begins every message.
    static let version: UInt8 = 5
    private static let noLogin: UInt8 = 0

    private let access: SOCKSAccess
    private var phase = Phase.greeting

    package init(_ access: SOCKSAccess) { self.access = access }

    /// Reads one message from the front of `bytes`.
    package mutating func receive(_ bytes: Span<UInt8>) -> Step {
        switch phase {
        case .greeting: greet(bytes)
        case .request: Self.request(bytes)
        }
    }

    private mutating func greet(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count > 0 else { return .needMore }
        guard bytes[0] == Self.version else { return .failed(bytes[0] == 4 ? .version4 : .version) }
        guard bytes.count > 1 else { return .needMore }
        let end = 2 + Int(bytes[1])
        guard bytes.count >= end else { return .needMore }
        guard access == .open, (2..<end).contains(where: { bytes[$0] == Self.noLogin }) else {
            return .failed(.method)
        }
        phase = .request
        return .answer(consumed: end, send: [Self.version, Self.noLogin])
    }

    /// Judges byte after byte, so that a fault is reported as soon as it is certain.
    private static func request(_ bytes: Span<UInt8>) -> Step {
        guard bytes.count > 0 else { return .needMore }
        guard bytes[0] == version else { return .failed(.version) }
        guard bytes.count > 1 else { return .needMore }
        guard bytes[1] == 1 else { return .failed(.command) }
        guard bytes.count > 3 else { return .needMore }
        let address: Range<Int>
        switch bytes[3] {
        case 1: address = 4..<8
        case 3:
            guard bytes.count > 4 else { return .needMore }
            address = 5..<5 + Int(bytes[4])
        case 4: address = 4..<20
        default: return .failed(.addressType)
        }
        let end = address.upperBound + 2
        guard bytes.count >= end else { return .needMore }
        let port = UInt16(bytes[end - 2]) << 8 | UInt16(bytes[end - 1])
        let text = bytes.extracting(address)
        let target = bytes[3] == 3 ? SOCKSTarget(name: text, port: port) : SOCKSTarget(address: text, port: port)
        guard let target else { return .failed(.target) }
        return .connect(consumed: end, target)
    }
}
