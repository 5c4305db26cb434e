import Platform
import Settings
import TransportSecurity

extension TLSServerContext {
    /// Reads the certificate for clients; nil if settings name none.
    ///
    /// Blocks.
    static func make(
        _ loaded: LoadedSettings,
        _ context: ProcessContext
    ) throws(SettingsError) -> TLSServerContext? {
        guard let certificate = loaded.values.tls.certificateFile, let key = loaded.values.tls.keyFile else {
            return nil
        }
        let files = TLSClientSettings.Certificate(
            certificateFile: loaded.filePath(certificate, context),
            keyFile: loaded.filePath(key, context)
        )
        do throws(TLSConfigurationError) {
            return try TLSServerContext(TLSServerSettings(certificate: files))
        } catch {
            let path = error.subject == .keyFile ? "tls.key-file" : "tls.certificate-file"
            throw loaded.error(at: path, error.userMessage)
        }
    }
}
