import COpenSSL

/// HMAC-SHA-256 and random octets, by OpenSSL.
enum KeyedHash {
    static let count = 32

    /// HMAC-SHA-256 of `octets` under `key`: 32 octets.
    static func hash(_ octets: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var length: UInt32 = 0
        let done = unsafe HMAC(EVP_sha256(), key, Int32(key.count), octets, octets.count, &digest, &length)
        precondition(unsafe done != nil && Int(length) == count, "OpenSSL has no HMAC-SHA-256")
        return digest
    }

    /// `count` octets nobody can guess.
    static func randomOctets(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        let status = unsafe RAND_bytes(&octets, Int32(count))
        precondition(status == 1, "OpenSSL has no random octets")
        return octets
    }
}
