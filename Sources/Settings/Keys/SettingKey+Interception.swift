extension SettingKey {
    static let intercept: [SettingKey] = [
        SettingKey(
            "intercept.ca-directory",
            \.intercept.caDirectory,
            .optional("", .path),
            "Where ca.pem and ca.key are; empty: respite/ca in the user's data directory, /var/lib/respite/ca for a service."
        )
    ]
}
