import Configurations
import Exchanges
import HTTPCore

/// Why the proxy itself responds to a request, which may not or cannot be forwarded.
struct Refusal: Error, Equatable {
    var status: UInt16
    /// A sentence that names the element, the fault and the remedy; no bytes of the request.
    var detail: String
    /// The error type of RFC 9209 §2.3.
    var type: ProxyErrorType

    /// The status with which a parent proxy refused.
    var receivedStatus: UInt16?
    /// The detail for Cache-Status, if any.
    var cacheDetail: String?
    /// When the same request may succeed, if that is known.
    var retryAfterSeconds: Int?

    /// Whether a rule of the settings asks for it; then the request is in order.
    private(set) var isByRule = false
    /// Whether the client may repeat the request with a login.
    private(set) var asksForLogin = false

    /// Whether the connection ends because this request broke a rule of the protocol: no request behind it may be read.
    var endsConnection: Bool {
        !isByRule && !asksForLogin && status != 404 && (status < 500 || status == 501 || status == 505)
    }

    /// A rule refuses the request.
    static func denied(_ denial: Denial) -> Refusal {
        var refusal = Refusal(403, denial.text)
        refusal.cacheDetail = Denial.detail
        refusal.isByRule = true
        return refusal
    }

    /// A rule makes the request fail, so that clients can be tested.
    static func failed(_ status: UInt16, by rule: String) -> Refusal {
        var refusal = Refusal(
            status,
            "\(rule) makes requests fail with this status (`fail`)",
            type: .proxyInternalResponse
        )
        refusal.cacheDetail = "fail"
        refusal.isByRule = true
        return refusal
    }

    /// The origin is not asked in this mode (C-25.2).
    static func notAsked(in mode: ServiceMode) -> Refusal {
        var refusal = Refusal(
            504,
            "mode \(mode.rawValue): the origin is not asked, and nothing that may be used is stored; "
                + "`respite mode auto` has it asked again",
            type: .proxyInternalResponse
        )
        refusal.cacheDetail = mode.rawValue
        return refusal
    }

    /// Too many requests already wait for one response of the origin (H-134).
    static func tooManyWaiters(limit: Int) -> Refusal {
        var refusal = Refusal(
            503,
            "\(limit) requests wait for the origin's answer to this question, as many as limits.waiters-per-load allows; "
                + "a higher value lets more wait, each with a connection of its own",
            type: .connectionLimitReached
        )
        refusal.retryAfterSeconds = 1
        return refusal
    }

    /// The listener wants a login (RFC 9110 §11.7.1).
    static func loginNeeded(_ detail: String) -> Refusal {
        var refusal = Refusal(407, detail)
        refusal.asksForLogin = true
        return refusal
    }

    /// Too many passwords wait to be checked.
    static var tooManyLogins: Refusal {
        var refusal = Refusal(503, "too many logins are being checked; try again", type: .connectionLimitReached)
        refusal.retryAfterSeconds = 1
        return refusal
    }

    init(_ status: UInt16, _ detail: String, type: ProxyErrorType = .httpRequestDenied) {
        self.status = status
        self.detail = detail
        self.type = type
    }
}
