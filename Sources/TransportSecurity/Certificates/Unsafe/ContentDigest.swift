import COpenSSL
import HTTPCore

/// A hash of content, by which people recognize it.
public enum ContentDigest {
    /// SHA-256 in hexadecimal; empty if the library refuses.
    public static func sha256(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard unsafe EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1 else { return "" }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
