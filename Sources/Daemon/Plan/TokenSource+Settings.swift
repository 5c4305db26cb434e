import Exchanges
import JSON
import ResourceCore
import Settings

extension TokenSource {
    /// Makes the source of a service's tokens.
    ///
    /// - Parameters:
    ///   - security: the name of the TLS settings for the endpoint; nil: the default ones.
    ///   - proxy: the name of the parent proxy for the endpoint; nil: the default one.
    convenience init(
        _ settings: TokenSettings,
        _ secrets: TokenSecrets,
        service: String,
        security: String?,
        proxy: String?
    ) {
        let request = Request(
            endpoint: settings.url,
            clientID: settings.clientID,
            clientSecret: secrets.clientSecret,
            scope: settings.scope,
            refreshToken: secrets.refreshToken,
            authentication: settings.authentication == .basic ? .basic : .content,
            security: security,
            proxy: proxy
        )
        self.init(request, name: "service \(service)") { Grant(json: $0) }
    }
}

extension TokenSource.Grant {
    /// Reads a successful response of a token endpoint (RFC 6749 §5.1); nil if it has no bearer token.
    init?(json bytes: [UInt8]) {
        guard let answer = try? JSONReader.parse(bytes, sizeLimit: 64 * 1024),
            case .text(let token)? = answer["access_token"]
        else { return nil }
        if case .text(let type)? = answer["token_type"], type.lowercased() != "bearer" { return nil }
        self.init(accessToken: token)
        switch answer["expires_in"] {
        case .integer(let seconds)?: expiresIn = .seconds(min(max(0, seconds), 1 << 31))
        // Some endpoints send the number as text.
        case .text(let text)?: expiresIn = Int64(text).map { .seconds(min(max(0, $0), 1 << 31)) }
        default: break
        }
        if case .text(let next)? = answer["refresh_token"] { refreshToken = next }
    }
}
