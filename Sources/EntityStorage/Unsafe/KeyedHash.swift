import COpenSSL

/// HMAC-SHA-256 and random bytes from OpenSSL.
enum KeyedHash {
    static let count = 32

    /// HMAC-SHA-256 of `bytes` under `key`: 32 bytes.
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var length: UInt32 = 0
        let done = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        precondition(unsafe done != nil && Int(length) == count, "OpenSSL has no HMAC-SHA-256")
        return digest
    }

    /// `count` random bytes, for keys.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe RAND_bytes(&bytes, Int32(count))
        precondition(status == 1, "OpenSSL has no random bytes")
        return bytes
    }
}
