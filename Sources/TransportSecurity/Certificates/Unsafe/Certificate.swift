import COpenSSL
import HTTPCore
import Platform

/// Owns one `X509`.
///
/// `@unchecked Sendable`: it never changes, and OpenSSL locks its inner caches.
@safe
final class Certificate: @unchecked Sendable {
    let raw: OpaquePointer

    /// - Parameter raw: a reference; this object takes ownership.
    init(owning raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe X509_free(raw) }

    /// The certificates in a text in PEM form, in order; other parts of the text are skipped.
    static func all(inPEM text: [UInt8]) -> [Certificate] {
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

    /// The common name of its subject, or else the subject as one line.
    var subjectName: String {
        unsafe Self.text(of: X509_get_subject_name(raw))
    }

    /// The same of its issuer.
    var issuerName: String { unsafe Self.text(of: X509_get_issuer_name(raw)) }

    private static func text(of name: OpaquePointer?) -> String {
        guard let name = unsafe name else { return "" }
        let common = unsafe commonName(name)
        if !common.isEmpty { return String(decoding: common, as: UTF8.self) }
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe X509_NAME_oneline(name, &text, Int32(text.count)) != nil else { return "" }
        return String(terminatedIn: text)
    }

    /// The common name in an X.509 name, unchanged; empty if there is none.
    static func commonName(_ name: OpaquePointer) -> [UInt8] {
        var text = [CChar](repeating: 0, count: 256)
        let count = unsafe X509_NAME_get_text_by_NID(name, NID_commonName, &text, Int32(text.count))
        return text.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }
    }

    /// When it becomes valid.
    var begins: HTTPDate { unsafe Self.date(X509_get0_notBefore(raw)) ?? HTTPDate(seconds: 0) }

    /// The last second at which it is valid.
    var ends: HTTPDate { unsafe Self.date(X509_get0_notAfter(raw)) ?? HTTPDate(seconds: 0) }

    /// Whether it belongs to an authority and may sign certificates.
    var isAuthority: Bool {
        unsafe X509_check_ca(raw) == 1 && X509_get_key_usage(raw) & UInt32(KU_KEY_CERT_SIGN) != 0
    }

    /// The hosts for which it may sign; nil: every host.
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

    /// Converts a time; nil if it cannot be read.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> HTTPDate? {
        var parts = unsafe tm()
        guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe HTTPDate(seconds: Int64(timegm(&parts)))
    }
}
