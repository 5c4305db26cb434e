extension SettingKey {
    /// The tier that several nodes share.
    static let shared: [SettingKey] = [
        SettingKey(
            "shared.url",
            \.shared.url,
            .optional("", .sharedServer),
            "Redis server that nodes share: redis://HOST[:PORT], rediss://HOST (TLS), redis+unix:///PATH. Empty: none."
        ),
        SettingKey(
            "shared.cluster",
            \.shared.cluster,
            .list(of: .sharedNode),
            "Nodes of a Redis Cluster, in place of shared.url; some will do: \"HOST:PORT\", \"rediss://HOST\"."
        ),
        SettingKey(
            "shared.user",
            \.shared.user,
            .optional("", .someText),
            "User of the server. Empty: its default user."
        ),
        SettingKey(
            "shared.password-file",
            \.shared.passwordFile,
            .optional("", .path),
            "File with the password, in one line, for its owner alone. A relative path starts beside the settings file."
        ),
        SettingKey(
            "shared.timeout",
            \.shared.timeout,
            .duration(.milliseconds(1)...(.seconds(10))),
            "How long a miss waits for the server before the origin is asked."
        ),
        SettingKey(
            "shared.max-object-size",
            \.shared.maxObjectSize,
            .size(.kibibytes(1)...(.mebibytes(256))),
            "Larger responses are not shared."
        ),
        SettingKey(
            "shared.partition-key-file",
            \.shared.partitionKeyFile,
            .optional("", .path),
            "File with a secret of 32 characters or more that all nodes have: responses of credentials are then shared, too."
        ),
    ]
}
