import COpenSSL
import Locking

/// The authorities that connections to servers trust: those of some files, and those of the system.
///
/// Reading the system's takes 50 ms if one file has them all. So contexts that trust the same authorities share a
/// store, and `prepare` reads the system's off the loops. Without `prepare` the first connection does it. `@unchecked
/// Sendable`: OpenSSL locks the store.
@safe
final class TrustStore: @unchecked Sendable {
    let raw: OpaquePointer
    private let key: [[UInt8]]
    /// Whether the system's authorities are still to be read.
    private let isWaiting: Lock<Bool>

    private struct Reference: Sendable { weak var store: TrustStore? }

    private static let known = Lock<[Reference]>([])

    /// The store of these files in their current state.
    ///
    /// - Parameter fingerprint: of the files and of the system's authorities.
    static func shared(
        files: [String],
        system: Bool,
        fingerprint: [UInt8]
    ) throws(TLSConfigurationError) -> TrustStore {
        let key = [system ? [1] : [], fingerprint] + files.map { Array($0.utf8) }
        if let found = known.withLock({ $0.lazy.compactMap(\.store).first { $0.key == key } }) { return found }
        let made = try TrustStore(key: key, files: files, system: system)
        known.withLock { known in
            known.removeAll { $0.store == nil }
            known.append(Reference(store: made))
        }
        return made
    }

    private init(key: [[UInt8]], files: [String], system: Bool) throws(TLSConfigurationError) {
        ErrorQueue.clear()
        guard let raw = unsafe X509_STORE_new() else {
            throw TLSConfigurationError(
                subject: .library,
                userMessage: "no trust store: \(ErrorQueue.takeDescription())"
            )
        }
        unsafe self.raw = raw
        self.key = key
        isWaiting = Lock(system)
        for file in files {
            guard unsafe X509_STORE_load_file(raw, file) == 1 else {
                throw TLSConfigurationError(
                    subject: .authorityFile(file),
                    userMessage: "cannot read certificates from \(file): \(ErrorQueue.takeDescription())"
                )
            }
        }
    }

    deinit { unsafe X509_STORE_free(raw) }

    /// Reads the system's authorities once; concurrent callers wait.
    func prepare() {
        isWaiting.withLock { isWaiting in
            guard isWaiting else { return }
            readSystemFile()
            unsafe X509_STORE_load_path(raw, SystemAuthorities.directory)
            ErrorQueue.clear()
            isWaiting = false
        }
    }

    /// Reads the file as OpenSSL would, but with a descriptor that new child processes do not inherit.
    private func readSystemFile() {
        guard let file = unsafe BIO_new_file(SystemAuthorities.file, "re") else { return }
        defer { unsafe BIO_free_all(file) }
        while let certificate = unsafe PEM_read_bio_X509_AUX(file, nil, nil, nil) {
            unsafe X509_STORE_add_cert(raw, certificate)
            unsafe X509_free(certificate)
        }
    }
}
