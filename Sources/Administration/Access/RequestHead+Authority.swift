import HTTPCore

extension RequestHead {
    /// Host and port that the request is for, lower-cased, as an origin of a page names them; nil without a host.
    ///
    /// An absolute target counts before `Host`, as for the check of the host.
    var authority: [UInt8]? {
        guard !parts.host.isEmpty else { return nil }
        let host = fields.bytes[parts.host].map(\.asciiLowercased)
        let port = parts.port ?? parts.scheme?.defaultPort ?? 80
        return port == 80 ? host : host + Array(":\(port)".utf8)
    }
}
