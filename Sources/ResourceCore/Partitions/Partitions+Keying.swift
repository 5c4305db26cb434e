public import HTTPCaching
import HTTPCore

/// What rules make of a request's partitions.
extension Partitions {
    /// The partitions of the same request where rules name a partition, or let fields of the request belong to the key:
    /// each stands for one of these, and equal ones only for equal names, values and credentials.
    ///
    /// - Parameter fields: the request's.
    func keyed(_ options: CachingOptions, _ fields: Fields, _ hasher: any PartitionHasher) -> Partitions {
        guard !options.rules.isEmpty else { return self }
        let keying = options.keying
        var partitions = self
        if keying.partition == .credential, let own {
            partitions = Partitions(own: own, credential: own, common: own)
        }
        if partitions.own == nil, options.keepsPrivateWithoutCredential {
            partitions.own = .credential(hasher.hash(Keying.textWithoutCredential))
        }
        guard let key = keying.text(for: fields, credentials: options.credentials, digest: hasher.hash) else {
            return partitions
        }
        func derived(_ partition: Partition) -> Partition {
            .credential(hasher.hash(Keying.text(of: partition.identifier, key: key)))
        }
        return Partitions(
            own: partitions.own.map(derived),
            credential: partitions.credential.map(derived),
            common: derived(partitions.common)
        )
    }
}

extension Partitions {
    /// The same apart for every `host`, the name that an origin is asked under in place of its own (H-064).
    public func apart(for host: [UInt8], _ hasher: any PartitionHasher) -> Partitions {
        func derived(_ partition: Partition) -> Partition {
            .credential(hasher.hash(Keying.text(of: partition.identifier, host: host)))
        }
        return Partitions(own: own.map(derived), credential: credential.map(derived), common: derived(common))
    }
}

extension Partition {
    /// Where that is kept which is for everybody: of requests that bear nothing of what rules have belong to the key.
    public static func common(_ options: CachingOptions, _ hasher: any PartitionHasher) -> Partition {
        options.keying.isEmpty ? .shared : Partitions().keyed(options, Fields(), hasher).common
    }

    /// Bytes that tell it from every other; none for the shared one.
    fileprivate var identifier: [UInt8] {
        switch self {
        case .shared: []
        case .credential(let hash): hash
        }
    }
}
