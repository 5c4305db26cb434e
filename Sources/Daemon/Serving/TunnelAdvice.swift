import HTTPCore
import Proxying
import Settings

/// What `respite explain` reports about the tunnels to the origin of an https URI.
struct TunnelAdvice {
    let sentence: String

    /// Nil if there was no blind tunnel to this origin.
    ///
    /// - Parameter listeners: the forward proxies, as messages name them.
    init?(_ uri: TargetURI, passed registry: TunnelRegistry, listeners: [String]) {
        let host = String(decoding: uri.host, as: UTF8.self)
        let count = registry.passed(to: Array("\(host):\(uri.port)".utf8))
        guard count > 0 else { return nil }
        let origin = "https://\(host)\(uri.port == 443 ? "" : ":\(uri.port)")/"
        let prefix = listeners.first { !$0.hasPrefix("unix:") }
            .map { ($0.hasPrefix("https://") ? $0 : "http://\($0)") + "/\(origin)" }
        let form = prefix.map { "ask for \($0)… instead" } ?? "ask through the prefix of a listener"
        let number = count == 1 ? "1 tunnel" : "\(count) tunnels"
        sentence =
            "\(number) to \(host):\(uri.port) passed unread: for hits, \(form), or name \(host) in `intercept.hosts`"
    }
}
