import EntityStorage
import Eventing
import HTTPCaching
import HTTPCore
import Platform
import Settings
import SharedStorage
import TransportSecurity

/// What settings and secret files say of the shared tier.
struct SharingPlan: Sendable {
    let addresses: [ServerAddress]
    let isCluster: Bool
    let server: ServerOptions
    let tier: SharedTierOptions
    /// The key by which all nodes name partitions; nil: each node uses its own.
    let partitionKey: [UInt8]?

    /// Reads the secret files; nil if the settings name no server; blocks.
    ///
    /// - Parameter security: TLS to servers whose certificates are verified as those of origins.
    /// - Throws: all mistakes, as one error.
    init?(
        _ loaded: LoadedSettings,
        _ security: TLSClientContext?,
        _ context: ProcessContext
    ) throws(SettingsError) {
        let settings = loaded.values.shared
        guard settings.isOn else { return nil }
        let urls = settings.url.map { [$0] } ?? settings.cluster
        addresses = urls.map(ServerAddress.init)
        isCluster = settings.url == nil
        var server = ServerOptions()
        if urls.contains(where: \.isSecure) { server.security = security }
        server.user = settings.user
        let secrets = try Self.secrets(loaded, context)
        server.password = secrets.password
        server.replies.bytes = max(server.replies.bytes, settings.maxObjectSize.bytes * 2)
        self.server = server
        partitionKey = secrets.key.map(Self.digest)
        var tier = SharedTierOptions()
        tier.timeout = settings.timeout
        tier.maximumObjectSize = settings.maxObjectSize.bytes
        tier.sharesPrivate = secrets.key != nil
        tier.credentialFields = CredentialFields(names: loaded.values.credentialNames).names
        self.tier = tier
    }

    private static func secrets(
        _ loaded: LoadedSettings,
        _ context: ProcessContext
    ) throws(SettingsError) -> (password: [UInt8]?, key: [UInt8]?) {
        let settings = loaded.values.shared
        var mistakes = SettingsMistakes()
        let password = mistakes.attempt { () throws(SettingsError) in
            try loaded.secret(settings.passwordFile, at: "shared.password-file", context)
        }
        let key = mistakes.attempt { () throws(SettingsError) in try partitionSecret(loaded, context) }
        try mistakes.check(loaded.sources)
        return (password ?? nil, key ?? nil)
    }

    private static func partitionSecret(
        _ loaded: LoadedSettings,
        _ context: ProcessContext
    ) throws(SettingsError) -> [UInt8]? {
        let path = "shared.partition-key-file"
        let key = try loaded.secret(loaded.values.shared.partitionKeyFile, at: path, context)
        guard let key, key.count < 32 else { return key }
        throw loaded.error(at: path, "`\(path)` must hold at least 32 characters: make it by `openssl rand -hex 32`")
    }

    private static func digest(_ key: [UInt8]) -> [UInt8] {
        var hash = ContentHash()
        hash.append(key[...])
        return hash.finish()
    }
}

extension ServerAddress {
    fileprivate init(_ url: SharedServerURL) {
        switch url.place {
        case .host(let host, let port):
            self = .host(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port: port)
        case .socket(let path): self = .socket(path)
        }
    }
}
