import TOML

extension SettingType where Value == ReplayPaceSetting {
    /// `instant`, `recorded`, or a factor.
    static var replayPace: SettingType {
        SettingType(
            name: "instant | recorded | factor",
            isText: false,
            parse: { (node) throws(SettingFault) -> ReplayPaceSetting in
                switch node.value {
                case .text("instant"): return .instant
                case .text("recorded"): return .factor(1)
                case .integer(let factor) where range.contains(Double(factor)): return .factor(Double(factor))
                case .real(let factor) where range.contains(factor): return .factor(factor)
                default:
                    throw SettingFault("\"instant\", \"recorded\", or a factor from 0.01 to 1000", insteadOf: node)
                }
            },
            format: { pace in
                switch pace {
                case .instant: "\"instant\""
                case .factor(1): "\"recorded\""
                case .factor(let factor): "\(factor)"
                }
            }
        )
    }

    private static var range: ClosedRange<Double> { 0.01...1000 }
}
