import COpenSSL
import HTTPCore

/// SHA-256 of content that comes in pieces.
@safe
public struct ContentHash: ~Copyable {
    /// Looked up once: OpenSSL otherwise searches for it, under a lock, whenever a digest begins.
    ///
    /// It never changes, so all threads may use it.
    nonisolated(unsafe) private static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    private let context: OpaquePointer?

    public init() {
        unsafe context = EVP_MD_CTX_new()
        restart()
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Begins anew, as if nothing had been appended.
    public mutating func restart() { unsafe _ = EVP_DigestInit_ex(context, Self.algorithm, nil) }

    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    public mutating func append(_ bytes: ArraySlice<UInt8>) { append(bytes.span) }

    /// The digest, 32 bytes; empty if the library refuses.
    ///
    /// Nothing may be appended afterwards, until it begins anew.
    public mutating func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return [] }
        return Array(digest[..<Int(count)])
    }

    /// Appends the digest to `text`, as 64 digits; returns false, and appends nothing, if the library refuses.
    ///
    /// Nothing may be appended to the content afterwards, until it begins anew.
    public mutating func finish(asDigitsIn text: inout [UInt8]) -> Bool {
        var digest = InlineArray<64, UInt8>(repeating: 0)
        var count: UInt32 = 0
        var bytes = digest.mutableSpan
        let result = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(context, $0.baseAddress, &count)
        }
        guard result == 1, count <= 64 else { return false }
        for index in 0..<Int(count) {
            text.append(Hexadecimal.digit(digest[index] >> 4))
            text.append(Hexadecimal.digit(digest[index] & 15))
        }
        return true
    }
}
