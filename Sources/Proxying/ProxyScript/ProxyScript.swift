import HTTPCore
import HTTPServer

/// The script by which browsers and systems choose a proxy (PAC): `/proxy.pac`, and `/wpad.dat` for WPAD.
///
/// It asks no name server and uses nothing but the language, in its oldest form, since clients run it in old engines.
struct ProxyScript {
    /// What names the proxy, such as `PROXY 127.0.0.1:3128`.
    let proxy: String
    let options: ScriptOptions

    /// - Parameter authority: host and port of the proxy, checked.
    init(authority: String, isSecure: Bool, options: ScriptOptions) {
        proxy = (isSecure ? "HTTPS " : "PROXY ") + authority + (options.allowsFallback ? "; DIRECT" : "")
        self.options = options
    }

    // MARK: Requests

    private static let paths = ["/proxy.pac", "/wpad.dat"].map { Array($0.utf8) }

    /// Whether a request's path, which may have a query, is the script's.
    static func hasPath(_ path: ArraySlice<UInt8>) -> Bool {
        let bare = path.prefix { $0 != 0x3F }
        return paths.contains { $0.elementsEqual(bare) }
    }

    /// Host and port by which the client has reached us.
    ///
    /// Returns nil if `Host` is missing, or has bytes that mean something in a list of proxies, such as `;`.
    static func authority(of head: RequestHead, isSecure: Bool) -> String? {
        let host = Array(head.fields.bytes[head.parts.host])
        guard !host.isEmpty, IPAddress(host: host.span) != nil || host.allSatisfy(isNameByte) else { return nil }
        return String(decoding: host.map(\.asciiLowercased), as: UTF8.self)
            + ":\(head.parts.port ?? (isSecure ? 443 : 80))"
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte.asciiLowercased {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    func respond(to exchange: ServerExchange) {
        var fields = Fields()
        fields.append(.contentType, "application/x-ns-proxy-autoconfig")
        fields.append(.cacheControl, "private, max-age=300")
        fields.append(.vary, "Host")
        // Or else a page of another site could run it as a script of its own, and read the hosts in it.
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        fields.append(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        exchange.respond(200, fields: fields, content: ByteChunk(text))
    }
}
