import HTTPCore
import TransportSecurity

/// The cost of interception, once for each host.
enum SecurityBenchmarks {
    static let all: [Benchmark] = [
        Benchmark(name: "mint a certificate for a host") { turns in
            let now = HTTPDate(seconds: 1_700_000_000)
            guard let authority = try? CertificateAuthority.make(name: "Benchmark", days: 30, at: now),
                let mint = try? CertificateMint(authority),
                let context = try? TLSMintingContext(mint)
            else { return false }
            var made = 0
            for turn in 0..<turns {
                guard let host = ServerName(host: Array("host-\(turn).example".utf8)) else { return false }
                if context.accept(as: host, at: now) != nil { made += 1 }
            }
            return made == turns
        }
    ]
}
