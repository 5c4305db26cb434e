import Exchanges
public import Foundation
import ResourceCore
public import ResourceModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestError: LocalizedError {
    /// The same as `userMessage`.
    public var errorDescription: String? { userMessage }
}

/// Lets errors of Foundation speak for themselves in the messages of `RequestError`.
enum FoundationErrors {
    private static let registration: Void = ForeignErrors.read(
        by: ForeignErrors.Reader(cause: { cause($0) }, sentence: { sentence($0) })
    )

    /// From now on; what programs use of this module calls it.
    static func register() { registration }

    /// The well-known cause of a session's error; nil for other errors.
    private static func cause(_ error: any Error) -> (any Error)? {
        guard let error = error as? URLError else { return nil }
        if error.code == .cancelled { return RequestError.Cause.RequestCancelled(error) }
        return RequestError.Cause.Network(error.code.kind, message: message(error), underlying: error)
    }

    /// Names the host.
    private static func message(_ error: URLError) -> String {
        let said = error.localizedDescription.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        guard let host = error.failingURL?.host() else { return said }
        return "\(host): \(said)"
    }

    /// An error's message in words: that of `LocalizedError`, and those of the platform.
    private static func sentence(_ error: any Error) -> String? {
        if let said = (error as? any LocalizedError)?.errorDescription, !said.isEmpty { return said }
        let isOfPlatform =
            type(of: error) is NSError.Type || error is URLError || error is CocoaError || error is POSIXError
        return isOfPlatform ? error.localizedDescription : nil
    }
}

extension URLError.Code {
    /// The kind of failure in terms of RFC 9209 §2.3.
    fileprivate var kind: ExchangeFailure.Kind {
        switch self {
        case .cannotFindHost, .dnsLookupFailed: .dnsError
        case .cannotConnectToHost: .connectionRefused
        case .notConnectedToInternet: .destinationUnroutable
        case .timedOut: .connectionTimeout
        case .networkConnectionLost: .connectionTerminated
        case .secureConnectionFailed: .tlsProtocolError
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
            .tlsCertificateError
        case .unsupportedURL, .badURL: .notSupported
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .protocolError
        default: .internalError
        }
    }
}
