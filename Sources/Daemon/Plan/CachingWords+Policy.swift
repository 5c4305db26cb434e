import HTTPCaching
import Settings

extension CacheEvenWord {
    var prohibition: Prohibitions {
        switch self {
        case .noStore: .noStore
        case .noCache: .noCache
        case .private: .responsePrivate
        case .mustRevalidate: .mustRevalidate
        }
    }
}

extension SetCookiePolicy {
    init(_ rule: SetCookieRule) {
        self =
            switch rule {
            case .careful: .careful
            case .refuse: .refuse
            case .reuse: .reuse
            case .private: .private
            case .strip: .strip
            }
    }
}

extension RulePartition {
    init(_ setting: PartitionSetting) {
        self =
            switch setting {
            case .shared: .shared
            case .credential: .credential
            case .user: .user
            case .named(let name): .named(name)
            }
    }
}
