public import HTTPCaching
package import HTTPCore

/// How rules change the partitions of a request.
extension Partitions {
    /// Applies rules that name a partition, or that add fields of the request to the cache key.
    ///
    /// Results are equal only for equal names, values, users and credentials.
    ///
    /// - Parameter fields: the request's.
    package func keyed(_ options: CachingOptions, _ fields: Fields, _ hasher: any PartitionHasher) -> Partitions {
        guard !options.rules.isEmpty else { return self }
        let keying = options.keying
        var partitions = self
        if keying.partition == .credential, let own {
            partitions = Partitions(own: own, credential: own, common: own)
        }
        // Requests without a login count as those of one user.
        if keying.partition == .user { partitions = derived(hasher) { Keying.text(of: $0, user: user ?? "") } }
        if partitions.own == nil, options.keepsPrivateWithoutCredential {
            let text = Keying.textWithoutCredential
            partitions.own = .credential(hasher.hash(user.map { Keying.text(of: text, user: $0) } ?? text))
        }
        guard let key = keying.text(for: fields, credentials: options.credentials, digest: hasher.hash) else {
            return partitions
        }
        return partitions.derived(hasher) { Keying.text(of: $0, key: key) }
    }

    /// The same partitions, kept apart for `host`, a name sent to the origin instead of its own (H-064).
    public func apart(for host: [UInt8], _ hasher: any PartitionHasher) -> Partitions {
        derived(hasher) { Keying.text(of: $0, host: host) }
    }

    /// Each partition under another name: the hash of what `text` makes of its identifier.
    private func derived(_ hasher: any PartitionHasher, _ text: ([UInt8]) -> [UInt8]) -> Partitions {
        func derived(_ partition: Partition) -> Partition {
            .credential(hasher.hash(text(partition.identifier)))
        }
        var result = Partitions(own: own.map(derived), credential: credential.map(derived), common: derived(common))
        result.user = user
        return result
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
