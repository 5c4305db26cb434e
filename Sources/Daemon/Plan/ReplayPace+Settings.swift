import HTTPCaching
import Settings

extension ReplayPace {
    init(_ setting: ReplayPaceSetting) {
        switch setting {
        case .instant: self = .instant
        case .factor(let factor): self = .speed(factor)
        }
    }
}
