public import HTTPCaching
import HTTPCore

/// How rules change the partitions of a request.
extension Partitions {
    /// Applies rules that name a partition, or that add fields of the request to the cache key.
    ///
    /// Results are equal only for equal names, values and credentials.
    ///
    /// - Parameter fields: the request's.
    func keyed(_ options: CachingOptions, _ fields: Fields, _ hasher: any PartitionHasher) -> Partitions {
        guard !options.rules.isEmpty else { return self }
        let keying = options.keying
        var partitions = self
        if keying.partition == .credential, let own {
            partitions = Partitions(own: own, credential: own, common: own)
        }
        if keying.partition == .user { partitions = partitions.apart(for: user, hasher) }
        if partitions.own == nil, options.keepsPrivateWithoutCredential {
            let text = Keying.textWithoutCredential
            partitions.own = .credential(hasher.hash(user.map { Keying.text(of: text, user: $0) } ?? text))
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
    /// The same partitions, kept apart for a user; nil: for all requests without a login.
    fileprivate func apart(for user: String?, _ hasher: any PartitionHasher) -> Partitions {
        func derived(_ partition: Partition) -> Partition {
            .credential(hasher.hash(Keying.text(of: partition.identifier, user: user ?? "")))
        }
        return Partitions(own: own.map(derived), credential: credential.map(derived), common: derived(common))
    }

    /// The same partitions, kept apart for `host`, a name sent to the origin instead of its own (H-064).
    public func apart(for host: [UInt8], _ hasher: any PartitionHasher) -> Partitions {
        func derived(_ partition: Partition) -> Partition {
            .credential(hasher.hash(Keying.text(of: partition.identifier, host: host)))
        }
        var apart = Partitions(own: own.map(derived), credential: credential.map(derived), common: derived(common))
        apart.user = user
        return apart
    }
}

extension Partition {
    /// The partition of responses for everybody: that of requests without any field that rules add to the key.
    public static func common(_ options: CachingOptions, _ hasher: any PartitionHasher) -> Partition {
        options.keying.isEmpty ? .shared : Partitions().keyed(options, Fields(), hasher).common
    }

    /// Bytes that identify the partition; none for the shared one.
    fileprivate var identifier: [UInt8] {
        switch self {
        case .shared: []
        case .credential(let hash): hash
        }
    }
}
