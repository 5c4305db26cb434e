import Proxying
import Settings

extension LocatedRule {
    /// Changes what earlier rules do with requests; nil if this rule says nothing about that.
    var trafficChange: (@Sendable (inout TrafficRules) -> Void)? {
        guard settings.redirect != nil || settings.fail != nil || settings.delay != nil else { return nil }
        return { [redirect = settings.redirect, fail = settings.fail, delay = settings.delay, displayName] rules in
            switch redirect {
            case .to(let settings)?:
                rules.redirect = .init(to: settings.target, status: UInt16(settings.status))
                rules.redirectRule = displayName
            case .never?: rules.redirect = nil
            case nil: break
            }
            switch fail {
            case .with(let settings)?:
                rules.fault = .init(TrafficRules.Fault.Kind(settings.kind), share: settings.share)
                rules.faultRule = displayName
            case .never?: rules.fault = nil
            case nil: break
            }
            if let delay { rules.delay = delay }
        }
    }
}

extension TrafficRules.Fault.Kind {
    fileprivate init(_ kind: FailSettings.Kind) {
        switch kind {
        case .status(let status): self = .status(UInt16(status))
        case .reset: self = .reset
        case .timeout: self = .timeout
        }
    }
}
