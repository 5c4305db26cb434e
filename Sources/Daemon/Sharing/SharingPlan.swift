import EntityStorage
import Eventing
import HTTPCaching
import HTTPCore
import Platform
import Settings
import SharedStorage
import TransportSecurity
import UpstreamClient

/// What settings and secret files say of the shared tier.
struct SharingPlan: Sendable {
    let addresses: [ServerAddress]
    let isCluster: Bool
    let server: ServerOptions
    let tier: SharedTierOptions
    /// By which partitions are named; nil: by this node's own key.
    let partitionKey: [UInt8]?

    /// Reads the secret files; nil if the settings name no server.
    init?(
        _ loaded: LoadedSettings,
        _ security: UpstreamSecurity,
        _ context: ProcessContext
    ) throws(SettingsError) {
        let settings = loaded.values.shared
        guard settings.isOn else { return nil }
        let urls = settings.url.map { [$0] } ?? settings.cluster
        addresses = urls.map(ServerAddress.init)
        isCluster = settings.url == nil
        var server = ServerOptions()
        if urls.contains(where: \.isSecure) { server.security = security.usual }
        server.user = settings.user
        server.password = try loaded.secret(settings.passwordFile, at: "shared.password-file", context)
        server.replies.bytes = max(server.replies.bytes, settings.maxObjectSize.bytes * 2)
        self.server = server
        let key = try loaded.secret(settings.partitionKeyFile, at: "shared.partition-key-file", context)
        if let key, key.count < 32 {
            throw loaded.error(
                at: "shared.partition-key-file",
                "`shared.partition-key-file` must hold at least 32 characters: make it by `openssl rand -hex 32`"
            )
        }
        partitionKey = key.map(Self.digest)
        var tier = SharedTierOptions()
        tier.timeout = settings.timeout
        tier.maximumObjectSize = settings.maxObjectSize.bytes
        tier.sharesPrivate = key != nil
        tier.credentialFields = CredentialFields(names: loaded.values.credentialNames).names
        self.tier = tier
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
