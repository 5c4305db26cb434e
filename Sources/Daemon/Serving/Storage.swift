import EntityStorage
import Locking
import Observability
import Platform
import Settings
import Stores

/// The store, or its replacement if there is none.
struct Storage: Sendable {
    /// Nil: responses are in memory only.
    let store: SQLiteStore?
    /// Where it is; nil without one.
    let directory: String?
    /// Why there is no store although the settings name a directory.
    let refusal: String?
    let hasher: any PartitionHasher
    /// Decides which responses leave memory.
    let memory: S3FIFO

    private init(
        _ settings: DaemonSettings,
        store: SQLiteStore?,
        directory: String?,
        refusal: String? = nil,
        partitionKey: [UInt8]?,
        descriptors: Int
    ) {
        self.store = store
        self.directory = store == nil ? nil : directory
        self.refusal = refusal
        hasher = partitionKey.map { CredentialHasher(key: $0) } ?? store?.hasher ?? CredentialHasher()
        // `DescriptorBudget` keeps an eighth from clients; half of that is for files of responses in memory (H-156).
        memory = S3FIFO(limit: settings.memory.limit.bytes, descriptorLimit: descriptors / 16)
    }

    /// Opens the store; if that fails, the daemon runs without one and logs why (H-154).
    ///
    /// - Parameter partitionKey: the key by which several nodes name partitions, in place of the store's own one.
    static func open(
        _ settings: DaemonSettings,
        _ paths: DaemonPaths,
        partitionKey: [UInt8]? = nil,
        descriptors: Int,
        log: Logger
    ) -> Storage {
        func storage(_ store: SQLiteStore?, _ refusal: String? = nil) -> Storage {
            Storage(
                settings,
                store: store,
                directory: paths.storageDirectory,
                refusal: refusal,
                partitionKey: partitionKey,
                descriptors: descriptors
            )
        }
        guard let directory = paths.storageDirectory else { return storage(nil) }
        var configuration = StoreConfiguration(
            directory: directory,
            limit: Int64(settings.storage.limit.bytes),
            maximumObjectSize: Int64(settings.storage.maxObjectSize.bytes),
            credentialFields: settings.credentialNames
        )
        configuration.isHandedOver = paths.isStorageHandedOver
        configuration.keepsPrivate = settings.storage.keepPrivate == .disk
        configuration.compression = StoreCompression(settings.storage.compress)
        do throws(StoreError) {
            let store = try SQLiteStore(configuration) { notice in report(notice, log) }
            return storage(store)
        } catch {
            log.error("store not used; no response will survive a restart", ["reason": error.userMessage])
            return storage(nil, error.userMessage)
        }
    }

    /// A warning about the directory before a start; nil if it seems usable.
    static func warning(_ paths: DaemonPaths, isRoot: Bool) -> String? {
        guard let directory = paths.storageDirectory else { return nil }
        // Root may be checking for another user, and cannot know which one should own the directory.
        let isHandedOver = paths.isStorageHandedOver || isRoot
        return SQLiteStore.refusal(ofDirectory: directory, isHandedOver: isHandedOver).map {
            "\($0.userMessage); until then nothing is stored on disk"
        }
    }

    private static func report(_ notice: StoreNotice, _ log: Logger) {
        let details = notice.details.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        let level: LogLevel =
            switch notice.severity {
            case .error: .error
            case .warning: .warning
            case .info: .info
            }
        log.log(level, "store", ["message": notice.message, "details": details])
    }

    /// Blocks until everything is on disk.
    func close() {
        guard let store else { return }
        let closed = Latch()
        store.close { closed.open() }
        closed.wait()
    }
}

extension StoreCompression {
    init(_ setting: StorageCompression) {
        switch setting {
        case .auto: self = .auto
        case .all: self = .all
        case .off: self = .off
        }
    }
}
