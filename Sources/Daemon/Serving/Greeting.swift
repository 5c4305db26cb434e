import Settings

/// What `respite serve` prints on a terminal once it serves.
struct Greeting {
    /// The listeners that are a forward proxy, and all listeners, as messages name them.
    let forwardListeners: [String]
    let listeners: [String]

    var text: String {
        var lines = ["", "Respite serves at \(listeners.joined(separator: ", "))."]
        if let address = forwardListeners.compactMap(Self.localAddress).first {
            let option = address == Self.usual ? "" : " --listen \(address)"
            lines += [
                "Open http://\(address)/ to see how to point your tools here. Or type in another terminal:",
                "    eval \"$(respite env\(option))\" && curl -sD- -o /dev/null http://example.org/",
                "The second time, Cache-Status says hit. `respite status` and `respite ls` look inside.",
            ]
        } else {
            lines.append("`respite status` and `respite ls` look inside.")
        }
        return (lines + ["Ctrl-C ends it.", ""]).joined(separator: "\n") + "\n"
    }

    /// Where clients connect by default.
    private static let usual = DaemonSettings().listen.first.map { "\($0)" }

    /// An address that programs of this machine can name, of a listener without TLS.
    private static func localAddress(_ listener: String) -> String? {
        guard case .tcp(let address, let port)? = ListenAddress(text: listener) else { return nil }
        switch "\(address)" {
        case "0.0.0.0": return "127.0.0.1:\(port)"
        case "::": return "[::1]:\(port)"
        default: return listener
        }
    }
}
