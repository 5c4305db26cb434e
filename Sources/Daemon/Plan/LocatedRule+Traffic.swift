import Proxying
import Settings

extension LocatedRule {
    /// Changes what earlier rules do with requests; nil if this rule does not set that.
    var trafficChange: (@Sendable (inout TrafficRules) -> Void)? {
        let settings = settings
        guard settings.redirect != nil || settings.fail != nil || settings.delay != nil || settings.rate != nil
        else { return nil }
        return { [displayName] rules in
            switch settings.redirect {
            case .to(let settings)?:
                rules.redirect = .init(to: settings.target, status: UInt16(settings.status))
                rules.redirectRule = displayName
            case .never?: rules.redirect = nil
            case nil: break
            }
            switch settings.fail {
            case .with(let settings)?:
                rules.fault = .init(TrafficRules.Fault.Kind(settings.kind), share: settings.share)
                rules.faultRule = displayName
            case .never?: rules.fault = nil
            case nil: break
            }
            if let delay = settings.delay { rules.delay = delay }
            switch settings.rate {
            case .limit(let size)?: rules.bytesPerSecond = size.bytes
            case .unlimited?: rules.bytesPerSecond = nil
            case nil: break
            }
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
