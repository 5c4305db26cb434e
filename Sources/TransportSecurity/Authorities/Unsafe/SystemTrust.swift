import LibC

/// The certificate authorities that this machine trusts.
public enum SystemTrust {
    /// The files in which distributions keep all authorities; the first that exists is used.
    public static let bundleFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The file on this machine; nil if there is none.
    public static var bundleFile: String? { bundleFiles.first { unsafe access($0, R_OK) == 0 } }

    /// Writes certificates for everybody to read, completely or not at all; blocks.
    public static func write(_ bytes: [UInt8], to path: String) throws(AuthorityError) {
        try AtomicFile(path: path, mode: 0o644).put(bytes, replaces: true)
    }
}
