import Eventing
import HTTPCore
import Settings

/// Asks what answers at an address.
enum PortProbe {
    /// How long an answer may take.
    static let patience = Duration.seconds(5)

    enum Outcome: Equatable {
        /// Nobody accepts connections; the text is the reason.
        case nobody(String)
        case respite
        /// Something else, or what speaks TLS.
        case other
    }

    /// - Parameter address: a listener's; one on every address is asked on loopback.
    static func ask(_ address: ListenAddress) -> Outcome {
        guard let place = SocketAddress("\(address.endpoint.reachable)") else { return .nobody("no address") }
        switch AdminClient.probe(place, patience: patience) {
        case .success(let response): return response.isOfRespite ? .respite : .other
        case .failure(.unreachable(let reason)): return .nobody(reason)
        case .failure(.broken): return .other
        }
    }
}

extension ListenAddress {
    /// Where clients of this machine reach it.
    var reachable: ListenAddress {
        guard case .tcp(let address, let port) = self, address.addressClass == .unspecified else { return self }
        return .tcp(address.isIPv4 ? .v4(0x7F00_0001) : .v6(0, 1), port: port)
    }

    var port: UInt16? {
        switch self {
        case .tcp(_, let port), .tls(_, let port): port
        case .unix: nil
        }
    }
}

extension AdminResponse {
    /// Whether it is the page, or the problem document, of a listener for clients.
    fileprivate var isOfRespite: Bool { String(decoding: content, as: UTF8.self).contains("Respite") }
}
