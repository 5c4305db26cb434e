import TOML

extension SettingType where Value == ClientCertificateSettings {
    /// `{ certificate-file = "…", key-file = "…" }`.
    static var clientCertificate: SettingType {
        SettingType(
            name: "table",
            isText: false,
            parse: { (node) throws(SettingFault) -> ClientCertificateSettings in
                guard case .table = node.value else {
                    throw SettingFault(
                        message:
                            "must be a table such as { certificate-file = \"me.crt\", key-file = \"me.key\" }, not "
                            + node.kindName,
                        position: node.position
                    )
                }
                var certificate = ClientCertificateSettings()
                try ClientCertificateSettings.reader.read(node, into: &certificate)
                guard !certificate.certificateFile.isEmpty, !certificate.keyFile.isEmpty else {
                    throw SettingFault.lacking("needs `certificate-file` and `key-file`", at: node.position)
                }
                return certificate
            },
            format: { ClientCertificateSettings.reader.format($0) }
        )
    }
}

extension ClientCertificateSettings {
    fileprivate static let reader = TableReader(
        name: "client-certificate",
        keys: [
            TableKey(
                "certificate-file",
                \ClientCertificateSettings.certificateFile,
                .path,
                "The certificate and those between it and its authority's (PEM); a path as for secrets."
            ),
            TableKey("key-file", \ClientCertificateSettings.keyFile, .path, "Its key (PEM), without a password."),
        ]
    )
}
