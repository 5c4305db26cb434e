public import Configurations
public import HTTPCore

/// What rules do with requests in place of serving them, or before.
public struct TrafficRules: Sendable, Equatable {
    /// Where clients are sent.
    public struct Redirect: Sendable, Equatable {
        /// An absolute URL; `$path` stands for path and query of the request.
        public var target: String
        public var status: UInt16

        public init(to target: String, status: UInt16) {
            self.target = target
            self.status = status
        }
    }

    /// How requests fail, for tests of clients.
    public struct Fault: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            /// An error response.
            case status(UInt16)
            /// The connection is reset.
            case reset
            /// No response comes.
            case timeout

            fileprivate var text: String {
                switch self {
                case .status(let status): "\(status)"
                case .reset: "reset"
                case .timeout: "timeout"
                }
            }
        }

        public var kind: Kind
        /// The share of requests that fail, from 0 to 1.
        public var share: Double

        /// The share in percent, to a hundredth.
        fileprivate var percentage: String {
            let percent = (share * 10_000).rounded() / 100
            return percent == percent.rounded() ? "\(Int(percent))" : "\(percent)"
        }

        public init(_ kind: Kind, share: Double) {
            self.kind = kind
            self.share = share
        }
    }

    public var redirect: Redirect?
    public var fault: Fault?
    /// How long requests wait before anything is done.
    public var delay = Duration.zero
    /// How fast content of each response is sent; nil: without a limit.
    public var bytesPerSecond: Int?
    /// Changes to the fields of responses when they are sent.
    public var responseEdits: [FieldEdits] = []
    /// The name of the rule that redirects.
    public var redirectRule = ""
    /// The name of the rule that makes requests fail.
    public var faultRule = ""

    public init() {}

    var isEmpty: Bool {
        redirect == nil && fault == nil && delay == .zero && bytesPerSecond == nil && responseEdits.isEmpty
    }
}

extension TrafficRules: ConfigurationKey {
    public static let defaultValue = TrafficRules()

    public static func descriptions(of rules: TrafficRules) -> [String] {
        var texts: [String] = []
        if rules.delay > .zero { texts.append("the request waits \(rules.delay) before anything is done") }
        if let fault = rules.fault {
            texts.append("\(rules.faultRule) makes \(fault.percentage) % of requests fail: \(fault.kind.text)")
        }
        if let redirect = rules.redirect {
            texts.append("\(rules.redirectRule) sends clients to \(redirect.target) with \(redirect.status)")
        }
        if let rate = rules.bytesPerSecond { texts.append("content is sent with at most \(rate) bytes per second") }
        for edits in rules.responseEdits { texts.append("a rule \(edits.summary) in responses") }
        return texts
    }
}

extension Configuration {
    /// What is done with requests in place of serving them, or before.
    public var traffic: TrafficRules {
        get { self[TrafficRules.self] }
        set {
            self[TrafficRules.self] = newValue
            actsOnRequests = !newValue.isEmpty || !requestEdits.isEmpty
        }
    }
}
