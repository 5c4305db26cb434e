/// A file of trusted certificates for Java, in the format JKS.
public enum JavaTrustStore {
    /// The certificates of a text in PEM form.
    ///
    /// The file has no checksum, which Java checks only if it is given a password. Other users cannot write the file.
    public static func bytes(of pem: [UInt8]) -> [UInt8] {
        let certificates = Certificate.all(inPEM: pem)
        var result = number(0xFEED_FEED, 4) + number(2, 4) + number(certificates.count, 4)
        for (index, certificate) in certificates.enumerated() {
            let der = certificate.der
            // A trusted certificate, its name, a time and the certificate's type.
            result += number(2, 4) + text("c\(index)") + number(0, 8) + text("X.509")
            result += number(der.count, 4) + der
        }
        return result + [UInt8](repeating: 0, count: 20)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func text(_ text: String) -> [UInt8] { number(text.utf8.count, 2) + Array(text.utf8) }
}
