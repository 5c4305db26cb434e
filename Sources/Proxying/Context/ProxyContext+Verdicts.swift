import Configurations
import Exchanges
import HTTPCore
import HTTPServer

/// Requests on which rules act before they are served.
extension ProxyContext {
    /// The configuration of requests with `method` for `uri`, if rules may act on requests; else nil.
    ///
    /// Judged by what the origin would be asked: the URI after query rules.
    ///
    /// - Parameter isVerbatim: whether the origin would be asked for `uri` as it stands.
    func verdict(of uri: TargetURI, _ method: Method, isVerbatim: Bool = false) -> EffectiveConfiguration? {
        guard service.actsOnRequests else { return nil }
        let asked = isVerbatim ? uri : service.identity(of: uri, for: method)
        return service.configuration(for: asked, method: method)
    }

    func refuse(_ exchange: ServerExchange, by denial: Denial) {
        notes(about: exchange)?.note(rule: denial.rule)
        refuse(exchange, .denied(denial))
    }
}
