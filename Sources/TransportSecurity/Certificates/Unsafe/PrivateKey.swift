import COpenSSL

/// Owns one `EVP_PKEY`.
///
/// `@unchecked Sendable`: it never changes.
@safe
final class PrivateKey: @unchecked Sendable {
    let raw: OpaquePointer

    private init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe EVP_PKEY_free(raw) }

    /// Makes a key on the curve P-256; nil if OpenSSL has no memory or no randomness.
    static func makeP256() -> PrivateKey? {
        ErrorQueue.clear()
        return unsafe respite_make_p256_key().map { unsafe PrivateKey(owning: $0) }
    }

    /// Reads the first key without a password in a text in PEM form.
    init?(pem text: [UInt8]) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let bio = MemoryBIO(text)
        guard let raw = unsafe PEM_read_bio_PrivateKey(bio.raw, nil, refusePassword, nil) else { return nil }
        unsafe self.raw = raw
    }

    var pem: [UInt8] {
        let bio = MemoryBIO()
        unsafe PEM_write_bio_PrivateKey(bio.raw, raw, nil, nil, 0, nil, nil)
        return bio.bytes
    }

    /// The digest for signatures; nil if the kind of key has its own.
    var digest: OpaquePointer? {
        let kind = unsafe EVP_PKEY_get_id(raw)
        return kind == NID_ED25519 || kind == NID_ED448 ? nil : unsafe EVP_sha256()
    }
}

/// Refuses a key with a password, for which OpenSSL would ask on the terminal.
func refusePassword(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
