/// Finds rules that a later one overrides.
///
/// It looks rules up by the text of their patterns. A thousand rules for different URLs cost about a thousand look-ups,
/// not half a million comparisons.
struct RuleOverrides {
    /// The URLs of a rule: a pattern, or the text before the `**` at its end.
    private struct URLs: Hashable {
        let service: String?
        let text: [UInt8]
    }

    private let rules: [LocatedRule]
    private let names: [Set<String>]
    private var byPattern: [URLs: [Int]] = [:]
    /// Rules for everything that begins with a text.
    private var byStart: [URLs: [Int]] = [:]
    /// The lengths of these texts.
    private var lengths: Set<Int> = []

    init(_ rules: [LocatedRule]) {
        self.rules = rules
        names = rules.map(\.settings.setNames)
        for (index, rule) in rules.enumerated() {
            byPattern[URLs(service: rule.service, text: Array(rule.settings.match.utf8)), default: []].append(index)
            guard let start = Self.start(of: rule.settings.match) else { continue }
            byStart[URLs(service: rule.service, text: start), default: []].append(index)
            lengths.insert(start.count)
        }
    }

    /// The first later rule that sets all that a rule sets, for all its requests and responses; nil if there is none.
    func winner(over index: Int) -> Int? {
        candidates(over: index).first { overrides($0, index) }
    }

    /// The later rules whose patterns plainly are for all URLs of a rule, in their order.
    func candidates(over index: Int) -> [Int] {
        let service = rules[index].service
        let pattern = Array(rules[index].settings.match.utf8)
        var found = byPattern[URLs(service: service, text: pattern)] ?? []
        for length in lengths where length <= pattern.count {
            found += byStart[URLs(service: service, text: Array(pattern.prefix(length)))] ?? []
        }
        return Set(found).filter { $0 > index }.sorted()
    }

    /// The literal beginning of a pattern that ends with `**`, if it reaches into the path; empty for `**` alone.
    private static func start(of pattern: String) -> [UInt8]? {
        let bytes = Array(pattern.utf8)
        guard bytes.suffix(2).elementsEqual("**".utf8) else { return nil }
        let start = Array(bytes.dropLast(2))
        guard !start.contains(where: { "*?{[".utf8.contains($0) }) else { return nil }
        let isPath = start.first == UInt8(ascii: "/") || start.count { $0 == UInt8(ascii: "/") } >= 3
        return start.isEmpty || isPath ? start : nil
    }

    private func overrides(_ later: Int, _ earlier: Int) -> Bool {
        guard Self.covers(rules[later].settings, rules[earlier].settings) else { return false }
        let isNeverCached = rules[later].settings.neverCache == true
        return names[earlier].allSatisfy { name in
            if Self.conditionNames.contains(name) { return true }
            if isNeverCached, RuleSettings.cachingNames.contains(name) { return true }
            return Self.overriddenNames.contains(name) && names[later].contains(name)
        }
    }

    /// Whether the conditions of `earlier` besides its pattern imply those of `later`; false if that is not plain to
    /// see.
    private static func covers(_ later: RuleSettings, _ earlier: RuleSettings) -> Bool {
        (later.hostsFile == nil || later.hostsFile == earlier.hostsFile)
            && (later.methods.isEmpty || (!earlier.methods.isEmpty && Set(earlier.methods).isSubset(of: later.methods)))
            && (later.contentTypes.isEmpty
                || (!earlier.contentTypes.isEmpty && Set(earlier.contentTypes).isSubset(of: later.contentTypes)))
            && (later.statuses.isEmpty
                || (!earlier.statuses.isEmpty
                    && earlier.statuses.allSatisfy { one in
                        later.statuses.contains {
                            $0.lowerBound <= one.lowerBound && one.upperBound <= $0.upperBound
                        }
                    }))
    }

    /// The members of which the last rule's value holds.
    private static let overriddenNames: Set<String> = [
        "ttl", "stale-while-revalidate", "stale-if-error", "refresh-ahead", "ignore-client-no-cache", "cache-even",
        "set-cookie", "record-streams", "replay-pace",
        "never-cache", "key-body", "partition", "retry", "rate-limit", "retry-after", "connect-http", "deny",
        "redirect", "fail",
        "delay", "rate",
    ]

    private static let conditionNames: Set<String> = [
        "match", "match-hosts-file", "methods", "content-types", "status",
    ]
}
