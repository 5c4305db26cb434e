import Exchanges
import Testing

@testable import Daemon

/// What a token endpoint grants.
@Suite struct TokenGrantTests {
    private static func grant(_ json: String) -> TokenSource.Grant? { TokenSource.Grant(json: Array(json.utf8)) }

    @Test(
        "a token is valid for the seconds the endpoint says, as number or text, up to 68 years (RFC 6749 §5.1)",
        arguments: [
            ("3600", 3600), ("\"3600\"", 3600), ("0", 0), ("-5", 0), ("\"-5\"", 0), ("2147483648", 2_147_483_648),
            ("2147483649", 2_147_483_648), ("\"9000000000\"", 2_147_483_648), ("\"soon\"", nil), ("null", nil),
        ] as [(String, Int64?)]
    )
    func validity(text: String, seconds: Int64?) {
        let grant = Self.grant("{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":\(text)}")
        #expect(grant?.accessToken == "t")
        #expect(grant?.expiresIn == seconds.map { .seconds($0) })
    }

    @Test("only a bearer token is a grant; its type may be missing")
    func kinds() {
        #expect(Self.grant("{\"access_token\":\"t\"}")?.accessToken == "t")
        #expect(Self.grant("{\"access_token\":\"t\",\"token_type\":\"mac\"}") == nil)
        #expect(Self.grant("{\"token_type\":\"bearer\"}") == nil)
        #expect(Self.grant("{\"access_token\":7}") == nil)
        #expect(Self.grant("access_token=t") == nil)
    }
}
