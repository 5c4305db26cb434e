import HTTPCore
import Platform
import TestSupport
import Testing

@testable import TransportSecurity

@Suite struct CertificateTests {
    @Test("a text without a certificate gives none, and leaves no error for the next call")
    func none() {
        let nothing = ErrorQueue.takeDescription()
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            #expect(Certificate.all(inPEM: Array(text.utf8)).isEmpty)
            #expect(ErrorQueue.takeDescription() == nothing, "\(text)")
        }
    }

    @Test(
        "a certificate that is read, and the hosts that it is good for, take no memory once they are gone",
        .enabled(if: !Sanitizer.isOn, "a sanitizer keeps what is freed")
    )
    func memory() async {
        // In a process of its own, where nobody else takes memory.
        await #expect(processExitsWith: .success) {
            let label = String(repeating: "x", count: 50)
            let hosts = (0..<100).map { PermittedHost.name("h\($0)-\(label).example") }
            let authority = try CertificateAuthority.make(name: "Lab", days: 2, for: hosts, at: currentDate)
            let text = authority.certificate.pem
            var before = 0
            // The first ones take what the next ones use again.
            for round in 0..<600 {
                if round == 100 { before = try #require(ResidentMemory.now?.anonymous) }
                let certificate = try #require(Certificate.all(inPEM: text).first)
                try #require(certificate.nameConstraints != nil && certificate.pem == text)
            }
            let growth = try #require(ResidentMemory.now?.anonymous) - before
            #expect(growth < 4 << 20, "\(growth)")
        }
    }
}
