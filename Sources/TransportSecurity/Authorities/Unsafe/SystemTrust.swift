import Glibc
public import HTTPCore

/// What this machine trusts, is called, and takes for the time.
public enum SystemTrust {
    /// Where distributions keep all authorities in one file; the first that is there counts.
    public static let bundleFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The file of this machine; nil if there is none.
    public static var bundleFile: String? { bundleFiles.first { unsafe access($0, R_OK) == 0 } }

    /// Writes certificates for everybody to read, whole or not at all; blocks.
    public static func write(_ bytes: [UInt8], to path: String) throws(AuthorityError) {
        try AtomicFile(path: path, mode: 0o644).put(bytes, replaces: true)
    }

    /// The host's own name, without domain.
    public static var machineName: String {
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&text, text.count - 1) == 0 else { return "localhost" }
        let bytes = text.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    public static var now: HTTPDate { HTTPDate(seconds: Int64(time(nil))) }
}
