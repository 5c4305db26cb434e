import EntityStorage
import Locking
import Observability
import ResourceCore
import Settings

/// The store, or what stands in for it when there is none.
struct Storage: Sendable {
    /// Nil: everything lives in memory only.
    let store: SQLiteStore?
    let hasher: any PartitionHasher
    /// Says what leaves memory.
    let memory: S3FIFO

    private init(_ settings: DaemonSettings, store: SQLiteStore?, hasher: any PartitionHasher, descriptors: Int) {
        self.store = store
        self.hasher = hasher
        // Of the eighth that is not for clients, half is for the files of what is in memory (H-156).
        memory = S3FIFO(limit: settings.memory.limit.bytes, descriptorLimit: descriptors / 16)
    }

    /// Opens the store; where that fails the daemon goes on without, and the log says why (H-154).
    static func open(_ settings: DaemonSettings, directory: String?, descriptors: Int, log: Logger) -> Storage {
        guard let directory else {
            return Storage(settings, store: nil, hasher: CredentialHasher(), descriptors: descriptors)
        }
        do throws(StoreError) {
            let store = try SQLiteStore(
                StoreConfiguration(
                    directory: directory,
                    limit: Int64(settings.storage.limit.bytes),
                    maximumObjectSize: Int64(settings.storage.maxObjectSize.bytes),
                    credentialFields: settings.credentialNames
                )
            ) { notice in tell(notice, log) }
            return Storage(
                settings,
                store: store,
                hasher: try CredentialHasher(directory: directory),
                descriptors: descriptors
            )
        } catch {
            log.error("store not used; nothing will survive a restart", ["reason": error.userMessage])
            return Storage(settings, store: nil, hasher: CredentialHasher(), descriptors: descriptors)
        }
    }

    private static func tell(_ notice: StoreNotice, _ log: Logger) {
        let details = notice.details.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        let level: LogLevel =
            switch notice.severity {
            case .error: .error
            case .warning: .warning
            case .info: .info
            }
        log.log(level, "store", ["message": notice.message, "details": details])
    }

    /// Waits until everything is at rest; blocks.
    func close() {
        guard let store else { return }
        let closed = Completion()
        store.close { closed.complete() }
        closed.wait()
    }
}
