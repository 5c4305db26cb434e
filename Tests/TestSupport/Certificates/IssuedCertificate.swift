import COpenSSL
import Glibc

/// What a certificate made for a test says.
public struct CertificateContents: Sendable {
    public var commonName = "test"
    /// In OpenSSL's form: `DNS:localhost`, `IP:127.0.0.1`.
    public var names: [String] = []
    /// Seconds from now.
    public var begins = -3600
    public var ends = 86_400
    public var isAuthority = false
    /// In OpenSSL's form: `permitted;DNS:test.example`.
    public var nameConstraints: String?

    public init(_ commonName: String, names: [String] = []) {
        self.commonName = commonName
        self.names = names
    }
}

/// A certificate and its key in two files of a temporary directory, which goes with the last of an authority's
/// certificates.
public final class IssuedCertificate: @unchecked Sendable {
    public let certificateFile: String
    public let keyFile: String
    private let directory: TemporaryDirectory
    private let certificate: OpaquePointer
    private let key: OpaquePointer
    private let isIntermediate: Bool

    /// Its own signature, if there is no issuer.
    public init(_ contents: CertificateContents, issuer: IssuedCertificate? = nil) {
        directory = issuer?.directory ?? TemporaryDirectory()
        isIntermediate = contents.isAuthority && issuer != nil
        key = respite_make_p256_key()
        certificate = X509_new()
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), contents.begins)
        X509_gmtime_adj(X509_getm_notAfter(certificate), contents.ends)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8_VALUE, contents.commonName, -1, -1, 0)
        X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
        let name = "\(directory.path)/\(UInt64.random(in: 0...(.max)))"
        certificateFile = name + ".crt"
        keyFile = name + ".key"
        var extensions: [(Int32, String)] = []
        if contents.isAuthority {
            extensions += [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ]
        }
        if !contents.names.isEmpty {
            extensions.append((NID_subject_alt_name, contents.names.joined(separator: ",")))
        }
        if let constraints = contents.nameConstraints {
            extensions.append((NID_name_constraints, "critical," + constraints))
        }
        for (number, value) in extensions { add(number, value, issuer: issuer) }
        X509_sign(certificate, issuer?.key ?? key, EVP_sha256())
        // A server sends the certificates between its own and the root.
        write(chain: [self] + (issuer.map { $0.isIntermediate ? [$0] : [] } ?? []))
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    private func add(_ number: Int32, _ value: String, issuer: IssuedCertificate?) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.certificate ?? certificate, certificate, nil, nil, 0)
        let made = X509V3_EXT_nconf_nid(nil, &context, number, value)
        precondition(made != nil, "no such extension: \(value)")
        X509_add_ext(certificate, made, -1)
        X509_EXTENSION_free(made)
    }

    private func write(chain: [IssuedCertificate]) {
        let file = BIO_new_file(certificateFile, "w")
        for link in chain { PEM_write_bio_X509(file, link.certificate) }
        BIO_free(file)
        let keys = BIO_new_file(keyFile, "w")
        PEM_write_bio_PrivateKey(keys, key, nil, nil, 0, nil, nil)
        BIO_free(keys)
        chmod(keyFile, 0o600)
    }
}

private let MBSTRING_UTF8_VALUE: Int32 = 0x1000
