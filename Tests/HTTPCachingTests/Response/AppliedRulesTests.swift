import HTTPCaching
import HTTPCore
import Testing

/// What rules did to a response, and whether that is the same for two.
@Suite("what rules did to a response") struct AppliedRulesTests {
    @Test("it is equal only if each prohibition, member of Vary, policy, recording and pace is, and of the same rule")
    func equality() throws {
        let lines: [FieldLine] = [
            ("Cache-Control", "no-store, no-cache"), ("Vary", "Origin, Accept"), ("Set-Cookie", "a=b"),
            ("Content-Type", "text/event-stream"),
        ]
        // Each says something of its own, so that a name is the only difference.
        let rules = [
            CachingRule(name: "even", cacheEven: [.noStore]), CachingRule(name: "vary", varyIgnore: ["Origin".bytes]),
            CachingRule(name: "cookie", setCookie: .private), CachingRule(name: "stream", recordsStreams: true),
            CachingRule(name: "pace", replayPace: .speed(2)), CachingRule(name: "reload", ignoresClientNoCache: true),
            CachingRule(name: "ahead", refreshAheadPercent: 7), CachingRule(name: "add", varyAdd: ["DPR".bytes]),
        ]
        func applied(_ rules: [CachingRule]) throws -> AppliedRules {
            var options = CachingOptions()
            options.rules = rules
            return try #require(response(lines, options: options).applied)
        }
        let first = try applied(rules)
        #expect(try applied(rules) == first)
        for index in rules.indices {
            var changed = rules
            changed[index].name = "other"
            #expect(try applied(changed) != first, "\(rules[index].name)")
        }
        let changes: [(inout [CachingRule]) -> Void] = [
            { $0[0].cacheEven = [.noStore, .noCache] }, { $0[1].varyIgnore = ["Accept".bytes] },
            { $0[2].setCookie = .strip }, { $0[4].replayPace = .speed(3) }, { $0[4].replayPace = .instant },
        ]
        for (index, change) in changes.enumerated() {
            var changed = rules
            change(&changed)
            #expect(try applied(changed) != first, "change \(index)")
        }
    }
}
