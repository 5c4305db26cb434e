import Eventing
import Platform
import Settings

extension ParentSelection {
    /// Reads the logins that settings name; blocks.
    init(_ loaded: LoadedSettings, _ context: ProcessContext) throws(SettingsError) {
        self.init()
        let settings = loaded.values.upstream
        if let proxy = settings.proxy { usual = try ParentProxy(proxy, loaded, at: "upstream.proxy", context) }
        exempts = { [patterns = settings.noProxy] host in NoProxyPattern.fits(patterns, host) }
        for service in loaded.values.services {
            switch service.proxy {
            case nil: break
            case .some(.none): named[service.name] = .some(nil)
            case .through(let proxy):
                let path = "service.\(service.name).proxy"
                named[service.name] = try ParentProxy(proxy, loaded, at: path, context)
            }
        }
    }
}

extension ParentProxy {
    fileprivate init(
        _ proxy: UpstreamProxy,
        _ loaded: LoadedSettings,
        at path: String,
        _ context: ProcessContext
    ) throws(SettingsError) {
        let kind: Kind =
            switch proxy.scheme {
            case .http: .http
            case .socks5: .socks5(looksUpNames: false)
            case .socks5h: .socks5(looksUpNames: true)
            }
        let login = try loaded.login(of: proxy, at: path, context)
        self.init(
            kind,
            host: Array(proxy.host.utf8),
            port: proxy.port,
            login: login.map { Login(user: Array($0.user.utf8), password: Array($0.password.utf8)) }
        )
    }
}
