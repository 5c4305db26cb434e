import Testing

@testable import TransportSecurity

@Suite("Private keys") struct PrivateKeyTests {
    /// What the queue of errors has if it is empty.
    private static func nothing() -> String {
        ErrorQueue.clear()
        return ErrorQueue.takeDescription()
    }

    @Test("a text without a key, or with one under a password, gives none, and leaves no error for the next call")
    func none() {
        let nothing = Self.nothing()
        for text in [
            "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n",
        ] {
            #expect(PrivateKey(pem: Array(text.utf8)) == nil, "\(text)")
            #expect(ErrorQueue.takeDescription() == nothing, "\(text)")
        }
    }

    @Test("a key is read as it was written; it belongs to one certificate, and to another it leaves no error")
    func belonging() throws {
        let nothing = Self.nothing()
        let one = try CertificateAuthority.make(name: "One", days: 1, at: currentDate)
        let other = try CertificateAuthority.make(name: "Other", days: 1, at: currentDate)
        let key = try #require(PrivateKey(pem: one.keyPEM))
        #expect(key.pem == one.keyPEM && one.certificate.certificate.isFor(key))
        #expect(!other.certificate.certificate.isFor(key))
        #expect(ErrorQueue.takeDescription() == nothing)
    }
}
