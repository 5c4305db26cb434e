import COpenSSL
import LibC

/// SHA-256 of files, to detect changes.
enum FileDigest {
    /// The digest of a file; empty if it cannot be read; blocks.
    static func digest(of path: String) -> [UInt8] {
        defer { ErrorQueue.clear() }
        guard let file = unsafe BIO_new_file(path, "re") else { return [] }
        defer { unsafe BIO_free_all(file) }
        var hash = ContentHash()
        var part = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe BIO_read(file, &part, Int32(part.count))
            guard count > 0 else { return hash.finish() }
            hash.append(part[..<Int(count)])
        }
    }

    /// The digest of several files, in this order.
    static func digest(of paths: [String]) -> [UInt8] {
        var hash = ContentHash()
        for path in paths { hash.append(digest(of: path)[...]) }
        return hash.finish()
    }

    /// Changes when the system's authorities do.
    ///
    /// It covers the digest of OpenSSL's file and the time when its directory changed.
    static var systemAuthorities: [UInt8] {
        digest(of: SystemAuthorities.file) + timeOfChange(SystemAuthorities.directory)
    }

    private static func timeOfChange(_ path: String) -> [UInt8] {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return [] }
        return Array("\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)".utf8)
    }
}

/// Where OpenSSL looks for the system's authorities, by default or by the environment.
enum SystemAuthorities {
    static var file: String { unsafe path(X509_get_default_cert_file_env(), X509_get_default_cert_file()) }
    static var directory: String { unsafe path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()) }

    private static func path(_ variable: UnsafePointer<CChar>?, _ usual: UnsafePointer<CChar>?) -> String {
        if let variable = unsafe variable, let value = unsafe getenv(variable) { return unsafe String(cString: value) }
        return unsafe usual.map { unsafe String(cString: $0) } ?? ""
    }
}
