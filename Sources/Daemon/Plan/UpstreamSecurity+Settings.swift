import Platform
import Settings
import TransportSecurity
import UpstreamClient

extension UpstreamSecurity {
    /// Reads the certificates that settings name; blocks.
    init(_ loaded: LoadedSettings, _ context: ProcessContext) throws(SettingsError) {
        let usual = Self.usualSettings(loaded, context)
        self.init(usual: try Self.context(usual, loaded, at: "tls.ca-files"))
        for service in loaded.values.services {
            var settings = usual
            settings.verifies = service.verify == .on
            if service.verify == .off {
                named[service.name] = try Self.context(settings, loaded, at: "service.\(service.name).verify")
            }
            guard let files = service.clientCertificate else { continue }
            settings.certificate = TLSClientSettings.Certificate(
                certificateFile: loaded.filePath(files.certificateFile, context),
                keyFile: loaded.filePath(files.keyFile, context)
            )
            let path = "service.\(service.name).client-certificate"
            identities[service.name] = try Self.context(settings, loaded, at: path)
        }
    }

    /// TLS to servers without settings of their own; blocks.
    static func usualContext(
        _ loaded: LoadedSettings,
        _ context: ProcessContext
    ) throws(SettingsError) -> TLSClientContext {
        try Self.context(usualSettings(loaded, context), loaded, at: "tls.ca-files")
    }

    private static func usualSettings(_ loaded: LoadedSettings, _ context: ProcessContext) -> TLSClientSettings {
        var usual = TLSClientSettings()
        usual.authorityFiles = loaded.values.tls.caFiles.map { loaded.filePath($0, context) }
        return usual
    }

    private static func context(
        _ settings: TLSClientSettings,
        _ loaded: LoadedSettings,
        at path: String
    ) throws(SettingsError) -> TLSClientContext {
        do throws(TLSConfigurationError) {
            return try TLSClientContext(settings)
        } catch {
            throw loaded.error(at: path, error.userMessage)
        }
    }
}
