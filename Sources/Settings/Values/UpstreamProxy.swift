import HTTPCore

/// A parent proxy.
public struct UpstreamProxy: Sendable, Hashable {
    public enum Scheme: String, Sendable, CaseIterable {
        case http
        /// Respite looks up names.
        case socks5
        /// The proxy looks up names.
        case socks5h
    }

    /// User name and password.
    public enum Login: Sendable, Hashable {
        case text(user: String, password: String)
        /// A file with one line, `USER:PASSWORD`, that only its owner may read.
        case file(String)
    }

    public var scheme: Scheme
    /// Lower-cased; an IPv6 literal keeps its brackets.
    public var host: String
    public var port: UInt16
    public var login: Login?

    /// Why a URL is wrong.
    ///
    /// The message quotes no part of the URL, since it may contain a password.
    struct Fault: Error {
        let expected: String
    }

    /// Reads `http://[USER[:PASSWORD]@]HOST:PORT`, `socks5://…` or `socks5h://…`, whose port may be missing (1080).
    init(text: String) throws(Fault) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else { throw Fault(expected: Self.expected) }
        if parts[0].lowercased() == "https" {
            throw Fault(expected: "a proxy of http:// or socks5://; TLS to a proxy (https://) is not supported")
        }
        guard let scheme = Scheme(rawValue: parts[0].lowercased()) else { throw Fault(expected: Self.expected) }
        self.scheme = scheme
        var rest = parts[1].dropFirst(2)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        if let at = rest.lastIndex(of: "@") {
            guard let login = Self.login(rest[..<at]) else {
                throw Fault(expected: "a URL whose user name and password are percent-encoded, of 255 bytes at most")
            }
            self.login = login
            rest = rest[rest.index(after: at)...]
        }
        guard let location = HostAndPort(text: rest) else { throw Fault(expected: Self.expected) }
        host = location.host
        guard let port = location.port ?? (scheme == .http ? nil : 1080) else {
            throw Fault(expected: "a URL with a port, such as \"http://proxy.example:3128\"")
        }
        self.port = port
    }

    private static let expected =
        "a URL such as \"http://proxy.example:3128\", \"socks5://127.0.0.1:1080\" or \"socks5h://127.0.0.1:1080\""

    private static func login(_ text: Substring) -> Login? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
        guard let user = parts[0], !user.isEmpty, !user.utf8.contains(UInt8(ascii: ":")), user.utf8.count <= 255,
            let password = parts.count == 2 ? parts[1] : "", password.utf8.count <= 255
        else { return nil }
        return .text(user: user, password: password)
    }

    /// Reads `USER:PASSWORD` from a file.
    public static func login(line: String) -> (user: String, password: String)? {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, parts.allSatisfy({ $0.utf8.count <= 255 }) else { return nil }
        return (parts[0], parts[1])
    }

    /// The URL with its login.
    var text: String {
        guard case .text(let user, let password) = login else { return "\(scheme.rawValue)://\(host):\(port)" }
        let suffix = password.isEmpty ? "" : ":" + Self.encoded(password)
        return "\(scheme.rawValue)://\(Self.encoded(user))\(suffix)@\(host):\(port)"
    }

    /// The URL without user name and password.
    var masked: UpstreamProxy {
        var proxy = self
        if case .text = login { proxy.login = .text(user: "(secret)", password: "") }
        return proxy
    }

    // MARK: Percent-encoding (RFC 3986 §2.1)

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard byte > 0x20, byte != 0x7F else { return nil }
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let high = Hexadecimal.value(rest.removeFirst()),
                let low = Hexadecimal.value(rest.removeFirst())
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~()".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + digits
        }
        .joined()
    }
}

/// The parent proxy of a service.
public enum ServiceProxy: Sendable, Hashable {
    /// The service is reached directly.
    case none
    case through(UpstreamProxy)
}
