import Eventing
import HTTPCore
import Testing
import TransportSecurity

@testable import Daemon

/// For which hosts of `intercept.hosts` a CA may sign certificates.
struct NameConstraintsTests {
    @Test(
        "a pattern of hosts is covered by a CA if all hosts it matches are",
        arguments: [
            ("com.example", true), ("*.com.example", true), ("**.com.example", true),
            ("api-*.a.com.example:8443", true),
            ("*.com", false), ("**", false), ("example.com.*", false), ("*example.com", false),
            ("other.example", false),
            ("{a,b}.com.example", true), ("{a.com,x}.example", false), ("https://*.com.example/**", true), ("*", false),
            ("10.1.2.3:*", true), ("[::1]", false), ("127.0.0.1", false),
        ]
    )
    func covered(pattern: String, expected: Bool) throws {
        let network = PermittedHost.addresses(base: [10, 0, 0, 0], prefixLength: 8)
        let hosts: [PermittedHost] = [.name("com.example"), network]
        let certificate = try CertificateAuthority.make(name: "Lab", days: 2, for: hosts, at: HTTPDate.now).certificate
        #expect(try #require(certificate.constraints).cover(try HostPattern(pattern)) == expected)
    }
}
