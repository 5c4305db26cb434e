import ResourceDoubles
@testable import Exchanges
import HTTPCore
import Testing

@Suite("Policies of a request")
struct RequestPolicyTests {
    enum Respect: CaseIterable {
        case proxy
        case security
        case retryAfter
        case retryAfterLimit
        case retry
        case rateLimit

        var policies: ExchangePolicies {
            var policies = ExchangePolicies()
            switch self {
            case .proxy: policies.proxy = "none"
            case .security: policies.security = "office"
            case .retryAfter: policies.retryAfter = .ignore
            case .retryAfterLimit: policies.retryAfterLimit = .seconds(1)
            case .retry: policies.retry = RetryPolicy()
            case .rateLimit:
                let rate = RateLimiter.Rate(requests: 1, interval: .seconds(1), burst: 1, maximumWait: .zero)
                policies.rateLimit = RateLimiter(rate, name: "one")
            }
            return policies
        }
    }

    @Test("a policy that differs from the default in one respect reaches the provider", arguments: Respect.allCases)
    func kept(_ respect: Respect) {
        let policies = respect.policies
        let request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields(), policies: policies)
        #expect(!policies.isDefault && ExchangePolicies().isDefault)
        #expect("\(request.policies)" == "\(policies)" && "\(policies)" != "\(ExchangePolicies())")
        #expect(request.retryAfter == policies.retryAfter && request.hasPolicies == !policies.isEmpty)
    }
}
