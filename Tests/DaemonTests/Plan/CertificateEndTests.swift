import HTTPCore
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// Warnings about the certificate for clients.
@Suite struct CertificateEndTests {
    @Test(
        "a certificate that ends within two weeks is told, and one that has ended",
        arguments: [
            (-60, "ended"), (43_200, "ends"), (14 * 86_400 - 600, "ends"), (14 * 86_400 + 600, nil),
        ] as [(Int, String?)]
    )
    func ends(seconds: Int, verb: String?) throws {
        var contents = CertificateContents("localhost", names: ["DNS:localhost"])
        contents.begins = -86_400
        contents.ends = seconds
        let certificate = IssuedCertificate(contents)
        var reader = SettingsReader()
        let text = """
            listen = "https://127.0.0.1:0"
            tls.certificate-file = "\(certificate.certificateFile)"
            tls.key-file = "\(certificate.keyFile)"
            """
        reader.read(Array(text.utf8), name: "respite.toml")
        let plan = try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
        let messages = plan.warnings.map(\.message)
        guard let verb else {
            #expect(messages.isEmpty, "\(messages)")
            return
        }
        let message = try #require(messages.first)
        #expect(messages.count == 1)
        #expect(message.hasPrefix("the certificate in `tls.certificate-file` \(verb) on 20"))
        #expect(message.hasSuffix("; replace the file and send SIGHUP"))
    }
}
