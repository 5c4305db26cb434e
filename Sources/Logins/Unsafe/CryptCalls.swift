import CCrypt
import COpenSSL
import LibC

/// The calls of libxcrypt and OpenSSL.
enum CryptCalls {
    /// Hashes a password as `setting` defines; uses time and memory on purpose.
    ///
    /// - Parameters:
    ///   - password: without a zero byte, which would end it.
    ///   - setting: a whole hash, or the part before its last `$`.
    /// - Returns: the hash with its setting; nil if the system's crypt(3) does not accept the setting or the password.
    static func hash(_ password: [UInt8], setting: [UInt8]) -> [UInt8]? {
        let phrase = password.map(CChar.init(bitPattern:)) + [0]
        let form = setting.map(CChar.init(bitPattern:)) + [0]
        let size = MemoryLayout<crypt_data>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        unsafe memset(memory, 0, size)
        defer {
            unsafe OPENSSL_cleanse(memory, size)
            unsafe memory.deallocate()
        }
        guard let result = unsafe crypt_rn(phrase, form, memory, Int32(size)) else { return nil }
        return unsafe Array(String(cString: result).utf8)
    }

    /// A setting for new hashes, with a random salt and the library's default cost; nil if it lacks the kind.
    static func setting(prefix: String) -> [UInt8]? {
        var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        guard unsafe crypt_gensalt_rn(prefix, 0, nil, 0, &output, Int32(output.count)) != nil else { return nil }
        return output.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    }

    /// HMAC-SHA-256 of `bytes` under `key`.
    static func digest(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let done = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        precondition(unsafe done != nil && length == 32, "OpenSSL has no HMAC-SHA-256")
        return digest
    }

    /// Random bytes for a key.
    static func randomKey() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        precondition(unsafe RAND_bytes(&bytes, 32) == 1, "OpenSSL has no random bytes")
        return bytes
    }

    /// Whether two texts are equal, in a time that depends on their lengths alone.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe CRYPTO_memcmp(one, other, one.count) == 0
    }
}
