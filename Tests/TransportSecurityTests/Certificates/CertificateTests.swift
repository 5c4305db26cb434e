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
}
