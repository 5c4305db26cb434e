import HTTPCaching
import HTTPCore
import Testing

@Suite("what belongs to the cache key besides URI and credentials")
struct KeyingTests {
    @Test("key fields of several rules are in one order and named once, however the rules are ordered")
    func order() {
        // Given two rules that share a field
        let first = CachingRule(name: "first", keyFields: ["X-Tenant".bytes, "X-Country".bytes])
        let second = CachingRule(name: "second", keyFields: ["x-country".bytes, "Accept-Language".bytes])
        for rules in [[first, second], [second, first]] {
            var options = CachingOptions()
            options.rules = rules
            // When the key is made of them, then a reload that swaps them keeps the key
            #expect(options.keying.fields == ["accept-language".bytes, "x-country".bytes, "x-tenant".bytes])
        }
    }
}
