import HTTPCore

/// The cookie of a session.
///
/// Its name has the port that the browser uses: cookies do not tell ports apart, and several daemons may run here.
enum SessionCookie {
    /// The most cookies of our name that are looked at, from the end.
    ///
    /// Another server of this machine may have set some. Browsers send those for longer paths first (RFC 6265 §5.4), so
    /// ours is among the last.
    private static let limit = 4

    /// Its name, for the port that the client of a request uses.
    static func name(for head: RequestHead) -> String { "respite-\(head.parts.port ?? 80)" }

    private static func name(_ head: RequestHead) -> [UInt8] { Array(name(for: head).utf8) }

    /// The values of our cookie in a request.
    static func values(of head: RequestHead) -> [String] {
        let start = name(head) + [UInt8(ascii: "=")]
        let pairs = head.fields.values(of: .cookie).flatMap { $0.split(separator: UInt8(ascii: ";")) }
        let own = pairs.map { $0.drop { $0 == 0x20 } }.filter { $0.starts(with: start) }
        return own.suffix(limit).map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
    }

    /// The field that sets the cookie: no script reads it, no page of another site sends it, and the browser's end ends
    /// it.
    static func field(_ value: String, for head: RequestHead) -> [UInt8] {
        name(head) + Array("=\(value); Path=/; HttpOnly; SameSite=Strict".utf8)
    }

    /// The field that removes it.
    static func removal(for head: RequestHead) -> [UInt8] {
        name(head) + Array("=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0".utf8)
    }
}
