extension AnsweringOrigin.Reply {
    /// What a server with this file answers: the whole, or the rest that the request asks for.
    ///
    /// The rest is only for a request whose If-Range is the ETag or the Last-Modified of `fields`.
    public static func file(
        _ content: [UInt8],
        to request: AnsweringOrigin.Request,
        _ fields: [(String, String)]
    ) -> AnsweringOrigin.Reply {
        let validators = fields.filter { ["etag", "last-modified"].contains($0.0.lowercased()) }.map(\.1)
        guard let range = request.fields["range"], let start = Int(range.dropFirst("bytes=".count).dropLast()),
            let condition = request.fields["if-range"], validators.contains(condition)
        else { return .init(200, fields, bytes: content) }
        guard start < content.count else {
            return .init(416, fields + [("Content-Range", "bytes */\(content.count)")])
        }
        let extent = "bytes \(start)-\(content.count - 1)/\(content.count)"
        return .init(206, fields + [("Content-Range", extent)], bytes: Array(content[start...]))
    }
}
