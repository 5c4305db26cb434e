import COpenSSL
import HTTPCore

/// Owns one `X509`.
///
/// `@unchecked Sendable`: it is not changed once it is made or read, and OpenSSL locks what it caches inside.
@safe
final class Certificate: @unchecked Sendable {
    let raw: OpaquePointer

    /// - Parameter raw: a reference that becomes this object's.
    init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe X509_free(raw) }

    /// Those in a text in PEM form, in order; other things in it are left out.
    static func all(inPEM text: [UInt8]) -> [Certificate] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        var found: [Certificate] = []
        let bio = MemoryBIO(text)
        while let raw = unsafe PEM_read_bio_X509(bio.raw, nil, nil, nil) {
            found.append(unsafe Certificate(owning: raw))
        }
        return found
    }

    var pem: [UInt8] {
        let bio = MemoryBIO()
        unsafe PEM_write_bio_X509(bio.raw, raw)
        return bio.bytes
    }

    var der: [UInt8] {
        let bio = MemoryBIO()
        unsafe i2d_X509_bio(bio.raw, raw)
        return bio.bytes
    }

    /// SHA-256 of its DER form.
    var fingerprint: [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        unsafe X509_digest(raw, EVP_sha256(), &digest, &count)
        return Array(digest.prefix(Int(count)))
    }

    /// The common name of its subject, else the subject as one line.
    var subjectName: String {
        guard let name = unsafe X509_get_subject_name(raw) else { return "" }
        let common = unsafe Self.commonName(name)
        if !common.isEmpty { return String(decoding: common, as: UTF8.self) }
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe X509_NAME_oneline(name, &text, Int32(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The common name in a name, as it stands there; empty if there is none.
    static func commonName(_ name: OpaquePointer) -> [UInt8] {
        var text = [CChar](repeating: 0, count: 256)
        let count = unsafe X509_NAME_get_text_by_NID(name, NID_commonName, &text, Int32(text.count))
        return text.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }
    }

    /// When it becomes valid.
    var begins: HTTPDate { unsafe Self.date(X509_get0_notBefore(raw)) ?? HTTPDate(seconds: 0) }

    /// The last second in which it is valid.
    var ends: HTTPDate { unsafe Self.date(X509_get0_notAfter(raw)) ?? HTTPDate(seconds: 0) }

    /// It says that it is an authority's, and may sign certificates.
    var isAuthority: Bool {
        unsafe X509_check_ca(raw) == 1 && X509_get_key_usage(raw) & UInt32(KU_KEY_CERT_SIGN) != 0
    }

    /// The hosts it may sign for; nil: it says nothing of that.
    var nameConstraints: NameConstraints? {
        guard let found = unsafe X509_get_ext_d2i(raw, NID_name_constraints, nil, nil) else { return nil }
        defer { unsafe respite_free_constraints(found) }
        func subtrees(_ isExcluded: Int32) -> [NameConstraints.Subtree] {
            (0..<max(0, unsafe respite_subtree_count(found, isExcluded))).compactMap { index in
                var start: UnsafePointer<UInt8>?
                var count: Int32 = 0
                let kind = unsafe respite_subtree(found, isExcluded, index, &start, &count)
                let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
                switch kind {
                case GEN_DNS: return .name(bytes.map(\.asciiLowercased))
                case GEN_IPADD: return .addresses(bytes)
                default: return nil
                }
            }
        }
        return NameConstraints(permitted: subtrees(0), excluded: subtrees(1))
    }

    var isSignedByItself: Bool { unsafe X509_self_signed(raw, 0) == 1 }

    var hasKeyIdentifier: Bool { unsafe X509_get0_subject_key_id(raw) != nil }

    func isFor(_ key: PrivateKey) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return unsafe X509_check_private_key(raw, key.raw) == 1
    }

    /// Nil if it cannot be read.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> HTTPDate? {
        var parts = unsafe tm()
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe HTTPDate(seconds: Int64(timegm(&parts)))
    }
}

/// Owns one `EVP_PKEY`.
///
/// `@unchecked Sendable`: it is not changed once it is made or read.
@safe
final class PrivateKey: @unchecked Sendable {
    let raw: OpaquePointer

    private init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe EVP_PKEY_free(raw) }

    /// A new one on the curve P-256; nil if OpenSSL has no memory or no randomness.
    static func makeP256() -> PrivateKey? {
        ErrorQueue.clear()
        return unsafe respite_make_p256_key().map { unsafe PrivateKey(owning: $0) }
    }

    /// The first one in a text in PEM form, without a password.
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

    /// What certificates are signed with; nil where the kind of key has its own.
    var digest: OpaquePointer? {
        let kind = unsafe EVP_PKEY_get_id(raw)
        return kind == NID_ED25519 || kind == NID_ED448 ? nil : unsafe EVP_sha256()
    }
}

/// A key under a password is refused, not asked for on the terminal.
func refusePassword(
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// Owns a BIO in memory.
@safe
struct MemoryBIO: ~Copyable {
    let raw: OpaquePointer?

    init() { unsafe raw = BIO_new(BIO_s_mem()) }

    init(_ bytes: [UInt8]) {
        self.init()
        unsafe BIO_write(raw, bytes, Int32(clamping: bytes.count))
    }

    deinit { unsafe BIO_free(raw) }

    /// What is in it.
    var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe respite_bio_bytes(raw, &start)
        guard let start = unsafe start, count > 0 else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
