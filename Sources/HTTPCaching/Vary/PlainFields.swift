/// Selecting request fields whose values may be stored as they are: they describe what a client understands.
///
/// The value of any other field could be a credential, a tenant or a name, whatever the field is called.
enum PlainFields {
    private static let names: Set<[UInt8]> = Set(
        [
            "accept", "access-control-request-headers", "access-control-request-method", "content-type",
            "device-memory", "dnt", "downlink", "dpr", "ect", "host", "origin", "prefer", "rtt", "save-data", "te",
            "upgrade", "upgrade-insecure-requests", "user-agent", "viewport-width", "width", "x-forwarded-proto",
            "x-requested-with",
        ].map { Array($0.utf8) }
    )
    private static let prefixes = ["accept-", "sec-ch-", "sec-fetch-"].map { Array($0.utf8) }

    /// - Parameter name: lower-cased.
    static func contains(_ name: [UInt8]) -> Bool {
        names.contains(name) || prefixes.contains { name.starts(with: $0) }
    }
}
