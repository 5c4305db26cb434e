import Exchanges
import HTTPCore
import HTTPServer
import ResourceCore

/// Requests that a rule refuses.
extension ProxyContext {
    /// Why a rule refuses requests with `method` for `uri`; nil if none does.
    ///
    /// Judged by what the origin would be asked: the URI after query rules.
    ///
    /// - Parameter isVerbatim: whether the origin would be asked for `uri` as it stands.
    func denial(of uri: TargetURI, _ method: Method, isVerbatim: Bool = false) -> Denial? {
        guard service.mayDeny else { return nil }
        let asked = isVerbatim ? uri : service.identity(of: uri, for: method)
        return service.configuration(for: asked, method: method).values.policies.denial
    }

    func refuse(_ exchange: ServerExchange, by denial: Denial) {
        notes(about: exchange)?.note(rule: denial.rule)
        refuse(exchange, .denied(denial))
    }
}
