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

    @Test("the text of a partition under a key begins as that of no credential, which tells a length, and of no host")
    func texts() {
        let (partition, key) = ("ab".bytes, "key".bytes)
        let underKey = Keying.text(of: partition, key: key)
        #expect(underKey == [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2] + partition + key)
        #expect(Keying.textWithoutCredential == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Keying.text(of: partition, host: key) == [0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 2] + partition + key)
        #expect(Keying.text(of: "abk".bytes, key: "ey".bytes) != underKey)
    }

    @Test("a key without name and fields has no text; each of the two alone has one")
    func text() {
        var keying = Keying()
        func text(_ fields: Fields = Fields()) -> [UInt8]? {
            keying.text(for: fields, credentials: CredentialFields(names: []), digest: { $0 })
        }
        #expect(keying.isEmpty && text() == nil)
        keying.partition = .credential
        #expect(!keying.isEmpty && text() == nil)
        keying.partition = .named("a")
        #expect(!keying.isEmpty)
        let named = text()
        #expect(named?.starts(with: [0, 0, 0, 1] + "a".bytes) == true)
        keying.partition = .named("b")
        #expect(text() != named && text() != nil)
        keying.partition = .shared
        keying.fields = ["x-tenant".bytes]
        #expect(!keying.isEmpty && text() != nil && text() != named)
        var fields = Fields()
        fields.append(name: "X-Tenant", value: "1")
        #expect(text(fields) != text())
    }

    @Test("of rules that name a partition the last one holds; those with a condition name none here")
    func partition() {
        var options = CachingOptions()
        options.rules = [
            CachingRule(name: "first", partition: .credential), CachingRule(name: "second", partition: .named("a")),
            CachingRule(name: "third"),
        ]
        #expect(options.keying.partition == .named("a") && options.keying.fields.isEmpty)
        options.rules.removeLast(2)
        #expect(options.keying.partition == .credential)
    }
}
