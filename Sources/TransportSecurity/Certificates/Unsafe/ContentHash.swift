import COpenSSL
import HTTPCore

/// SHA-256 of content that comes in pieces.
@safe
public struct ContentHash: ~Copyable {
    private let context: OpaquePointer?

    public init() {
        unsafe context = EVP_MD_CTX_new()
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// The digest, 32 bytes; empty if the library refuses.
    ///
    /// Nothing may be appended afterwards.
    public mutating func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return [] }
        return Array(digest[..<Int(count)])
    }
}
