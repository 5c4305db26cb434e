import HTTPCore
import Settings
import Terminal

/// A GET that is sent to a listener of the daemon.
struct ProxyRequest {
    /// The fields that this program sets itself.
    private static let own: [KnownField] = [
        .host, .connection, .contentLength, .transferEncoding, .upgrade, .te, .trailer, .expect,
    ]

    private let uri: TargetURI
    private var fields = Fields()

    /// - Parameters:
    ///   - lines: further fields, such as `Accept: text/html`.
    ///   - control: the value of Cache-Control; nil: none.
    init(_ uri: TargetURI, lines: [String], control: String?) throws(CommandFailure) {
        self.uri = uri
        for line in lines {
            guard let (name, value) = Self.field(line) else {
                throw CommandFailure(
                    "`\(Console.printable(line))` is no field; write `--header \"Accept-Language: de\"`",
                    exitCode: 2
                )
            }
            if let known = KnownField(name: name), Self.own.contains(known) {
                let name = String(decoding: name, as: UTF8.self)
                throw CommandFailure("`\(name)` cannot be set by `--header`: the command sets it itself", exitCode: 2)
            }
            fields.append(name: name, value: value)
        }
        if !fields.contains(.userAgent) { fields.append(.userAgent, "respite/\(Version.text)") }
        if !fields.contains(.accept) { fields.append(.accept, "*/*") }
        if let control { fields.append(.cacheControl, control) }
    }

    private static func field(_ line: String) -> (name: [UInt8], value: [UInt8])? {
        let bytes = Array(line.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = Array(bytes[..<colon])
        var value = bytes[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard Token.isToken(name.span), value.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
            return nil
        }
        return (name, Array(value))
    }

    /// The request's bytes: an https URL is asked for by the prefix gateway, since it would be a tunnel else.
    func bytes(for endpoint: ProxyEndpoint) -> [UInt8] {
        var target = uri
        if uri.scheme == .https {
            let path = [UInt8(ascii: "/")] + uri.bytes
            target = TargetURI(scheme: .http, host: Array(endpoint.host.utf8), port: endpoint.port, path: path)
        }
        var bytes: [UInt8] = []
        HeadSerializer.appendRequest(
            .get,
            target,
            form: uri.scheme == .https ? .origin : .absolute,
            fields: fields,
            framing: .none,
            connection: .close,
            to: &bytes
        )
        return bytes
    }
}
