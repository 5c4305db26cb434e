public import HTTPCore
import Locking

/// Gets bearer tokens from a token endpoint (OAuth 2.0, RFC 6749 §4.4 and §6).
///
/// It gets a token when one is needed, and another shortly before that expires or when an origin refuses it. However
/// many requests wait for a token, it asks the endpoint once. Tokens are in memory only. Safe from any thread.
public final class TokenSource: CredentialSource {
    /// The request for tokens; sources with equal requests get the same tokens.
    public struct Request: Sendable, Equatable {
        /// How the client authenticates (RFC 6749 §2.3.1).
        public enum Authentication: Sendable, Equatable { case basic, content }

        public var endpoint: TargetURI
        public var clientID: String
        /// Empty for a client without a secret.
        public var clientSecret: String
        public var scope: String
        /// Nil if the endpoint grants tokens to the client itself.
        public var refreshToken: String?
        public var authentication: Authentication
        /// The TLS settings for the endpoint; see `ExchangePolicies.security`.
        public var security: String?
        /// The route to the endpoint; see `ExchangePolicies.proxy`.
        public var proxy: String?

        public init(
            endpoint: TargetURI,
            clientID: String,
            clientSecret: String,
            scope: String = "",
            refreshToken: String? = nil,
            authentication: Authentication = .basic,
            security: String? = nil,
            proxy: String? = nil
        ) {
            self.endpoint = endpoint
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.scope = scope
            self.refreshToken = refreshToken
            self.authentication = authentication
            self.security = security
            self.proxy = proxy
        }
    }

    /// The response of an endpoint (RFC 6749 §5.1).
    public struct Grant: Sendable, Equatable {
        public var accessToken: String
        /// Nil if the endpoint does not say.
        public var expiresIn: Duration?
        /// The refresh token to use from now on.
        public var refreshToken: String?

        public init(accessToken: String, expiresIn: Duration? = nil, refreshToken: String? = nil) {
            self.accessToken = accessToken
            self.expiresIn = expiresIn
            self.refreshToken = refreshToken
        }
    }

    private typealias Waiter = @Sendable (Result<Credential, ExchangeFailure>) -> Void

    private struct State {
        var credential: Credential?
        var obtainedAt = MonotonicTime(nanoseconds: 0)
        /// Whether an origin has accepted it.
        var isAccepted = false
        /// Until this time a refusal is final: the origin also refused the token that replaced another.
        var futileUntil: MonotonicTime?
        /// From this time on the source gets the next token.
        var renewAt: MonotonicTime?
        /// From this time on the token is not used.
        var expiresAt: MonotonicTime?
        /// The refresh token that the endpoint sent last, in place of the configured one.
        var refreshToken: String?
        var isAsking = false
        var waiting: [Waiter] = []
        var number: UInt64 = 0
        var failure: (failure: ExchangeFailure, until: MonotonicTime)?
    }

    private enum Step {
        case use(Credential)
        /// Use it, and get the next token meanwhile.
        case renew(Credential)
        case ask
        case wait
        case fail(ExchangeFailure)
    }

    /// If an origin refuses a token that is newer than this, it would refuse the next one, too.
    private static let leastAge = Duration.seconds(5)
    /// How long a failure of the endpoint is remembered.
    private static let retryTime = Duration.seconds(1)

    public let request: Request
    /// The name of its service, for messages.
    public let name: String
    private let decode: @Sendable ([UInt8]) -> Grant?
    private let state: Lock<State>

    /// - Parameters:
    ///   - request: the request for tokens.
    ///   - name: the name of its service, for messages.
    ///   - decode: parses the endpoint's response; returns nil if that grants no bearer token.
    public init(_ request: Request, name: String, decode: @escaping @Sendable ([UInt8]) -> Grant?) {
        self.request = request
        self.name = name
        self.decode = decode
        state = Lock(State())
    }

    // MARK: Credentials

    /// Endpoint, client and scope, and the configured refresh token, which may belong to a user.
    ///
    /// It does not change when tokens are renewed.
    public var subject: [UInt8] {
        let refreshToken = request.refreshToken.map { [$0] } ?? []
        return ([request.endpoint.text, request.clientID, request.scope] + refreshToken).reduce(into: []) {
            text,
            part in
            text.appendWithLength(Array(part.utf8))
        }
    }

    public func credential(
        insteadOf refused: Credential?,
        _ context: CredentialContext,
        _ completion: @escaping @Sendable (Result<Credential, ExchangeFailure>) -> Void
    ) {
        let now = context.timekeeper.now
        let step = state.withLock { state in
            let step = Self.step(&state, refused, now)
            switch step {
            case .ask:
                state.waiting.append(completion)
                state.isAsking = true
            case .renew: state.isAsking = true
            case .wait: state.waiting.append(completion)
            case .use, .fail: break
            }
            return step
        }
        switch step {
        case .use(let credential): completion(.success(credential))
        case .renew(let credential):
            ask(context)
            completion(.success(credential))
        case .ask: ask(context)
        case .wait: break
        case .fail(let failure): completion(.failure(failure))
        }
    }

    private static func step(_ state: inout State, _ refused: Credential?, _ now: MonotonicTime) -> Step {
        if let credential = state.credential, refused?.number != credential.number,
            state.expiresAt.map({ now < $0 }) ?? true
        {
            let isDue = state.renewAt.map { now >= $0 } ?? false
            return isDue && !state.isAsking && state.failure.map { now >= $0.until } ?? true
                ? .renew(credential) : .use(credential)
        }
        if state.isAsking { return .wait }
        if let failure = state.failure, now < failure.until { return .fail(failure.failure) }
        return .ask
    }

    public func mayReplace(_ refused: Credential, _ context: CredentialContext) -> Bool {
        let now = context.timekeeper.now
        return state.withLock { state in
            guard let current = state.credential, current.number == refused.number else { return true }
            if state.isAsking { return true }
            if let futileUntil = state.futileUntil, now < futileUntil { return false }
            return state.isAccepted || now - state.obtainedAt >= Self.leastAge
        }
    }

    public func note(_ credential: Credential, isAccepted: Bool, _ context: CredentialContext) {
        let now = context.timekeeper.now
        state.withLock { state in
            guard state.credential?.number == credential.number else { return }
            if isAccepted { state.isAccepted = true } else { state.futileUntil = now + Self.leastAge }
        }
    }

    // MARK: Asking

    private func ask(_ context: CredentialContext) {
        context.statistics.noteToken()
        let refreshToken = state.withLock { $0.refreshToken } ?? request.refreshToken
        let content = request.content(refreshToken: refreshToken)
        var fields = Fields()
        fields.append(.accept, "application/json")
        fields.append(.contentType, "application/x-www-form-urlencoded")
        if let authorization = request.authorization { fields.append(.authorization, authorization) }
        var origin = OriginRequest(
            method: .post,
            uri: request.endpoint,
            fields: fields,
            framing: .length(Int64(content.count))
        )
        origin.policies.security = request.security
        origin.policies.proxy = request.proxy
        let provider = context.provider
        let exchange = TokenExchange(content) { result in self.didAsk(result, context) }
        let start: @Sendable () -> Void = { [origin] in exchange.start(origin, provider) }
        if provider.context.isCurrent { start() } else { provider.context.submit(start) }
    }

    private func didAsk(
        _ result: Result<(status: UInt16, content: [UInt8]), ExchangeFailure>,
        _ context: CredentialContext
    ) {
        let now = context.timekeeper.now
        let outcome = outcome(result)
        let (waiting, granted) = state.withLock { state -> ([Waiter], Result<Credential, ExchangeFailure>) in
            state.isAsking = false
            defer { state.waiting = [] }
            switch outcome {
            case .success(let grant):
                let credential = Self.note(grant, now, &state)
                return (state.waiting, .success(credential))
            case .failure(let failure):
                state.failure = (failure, now + Self.retryTime)
                return (state.waiting, .failure(failure))
            }
        }
        for waiter in waiting { waiter(granted) }
    }

    private static func note(_ grant: Grant, _ now: MonotonicTime, _ state: inout State) -> Credential {
        state.number += 1
        let credential = Credential(
            name: Array("Authorization".utf8),
            value: Array("Bearer \(grant.accessToken)".utf8),
            number: state.number
        )
        state.credential = credential
        state.obtainedAt = now
        state.isAccepted = false
        state.failure = nil
        state.refreshToken = grant.refreshToken ?? state.refreshToken
        state.expiresAt = grant.expiresIn.map { now + $0 }
        // Renew it when a tenth of its lifetime is left, but not earlier than a minute before its end.
        state.renewAt = grant.expiresIn.map { now + ($0 - min($0 / 10, .seconds(60))) }
        return credential
    }

    private func outcome(
        _ result: Result<(status: UInt16, content: [UInt8]), ExchangeFailure>
    )
        -> Result<Grant, ExchangeFailure>
    {
        switch result {
        case .failure(var failure):
            failure.userMessage = "no token for \(name): \(failure.userMessage)"
            failure.requestMayHaveArrived = false
            return .failure(failure)
        case .success(let response):
            if response.status == 200, let grant = decode(response.content), Self.isToken(grant.accessToken) {
                return .success(grant)
            }
            let reason = response.status == 200 ? "the response has no bearer token" : "it answered \(response.status)"
            return .failure(
                ExchangeFailure(
                    .destinationUnavailable,
                    "no token for \(name) from \(request.endpoint.text): \(reason)"
                )
            )
        }
    }

    /// Whether the text can be a bearer token (RFC 6750 §2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension TokenSource.Request {
    /// The form that is posted.
    func content(refreshToken: String?) -> [UInt8] {
        var members: [(String, String)] =
            refreshToken.map { [("grant_type", "refresh_token"), ("refresh_token", $0)] }
            ?? [("grant_type", "client_credentials")]
        if !scope.isEmpty { members.append(("scope", scope)) }
        if authentication == .content {
            members.append(("client_id", clientID))
            if !clientSecret.isEmpty { members.append(("client_secret", clientSecret)) }
        } else if clientSecret.isEmpty {
            members.append(("client_id", clientID))
        }
        return Array(members.map { "\($0)=\(FormText.escaped($1))" }.joined(separator: "&").utf8)
    }

    /// The value of Authorization; nil if the client authenticates in the content.
    var authorization: [UInt8]? {
        guard authentication == .basic, !clientSecret.isEmpty else { return nil }
        let pair = "\(FormText.escaped(clientID)):\(FormText.escaped(clientSecret))"
        return Array("Basic ".utf8) + Base64.encode(Array(pair.utf8))
    }
}

/// Encodes text for forms and Basic credentials.
private enum FormText {
    /// The text in `application/x-www-form-urlencoded`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: result += "+"
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
