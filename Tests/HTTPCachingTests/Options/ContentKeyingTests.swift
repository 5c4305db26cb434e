import HTTPCaching
import HTTPCore
import Testing

@Suite("content that belongs to the cache key")
struct ContentKeyingTests {
    private func options(_ rules: CachingRule...) -> CachingOptions {
        var options = CachingOptions()
        options.rules = rules
        return options
    }

    private let json = ContentKeying.form(CanonicalForm(name: "json") { .success($0) })

    @Test("QUERY is keyed by its content without a rule, POST only by one, no other method ever (C-24.4, C-24.7)")
    func methods() {
        let plain = options()
        let ruled = options(CachingRule(name: "r", keyBody: json))
        #expect(plain.contentKeying(for: .query) == .bytes && plain.contentKeying(for: .post) == nil)
        #expect(ruled.contentKeying(for: .query) == json && ruled.contentKeying(for: .post) == json)
        for method in [Method.get, .head, .put, .delete, .patch, .other("SEARCH".bytes)] {
            #expect(ruled.contentKeying(for: method) == nil, "\(method.text)")
        }
    }

    @Test("of several rules the last one holds; false revokes it, also for QUERY; a rule with conditions has no say")
    func last() {
        let first = CachingRule(name: "first", keyBody: json)
        #expect(options(first, CachingRule(name: "r", keyBody: .bytes)).contentKeying(for: .post) == .bytes)
        #expect(options(first, CachingRule(name: "r")).contentKeying(for: .post) == json)
        let revoked = options(first, CachingRule(name: "r", keyBody: .off))
        #expect(revoked.contentKeying(for: .post) == nil && revoked.contentKeying(for: .query) == nil)
        let conditional = CachingRule(name: "c", statuses: [200...200], keyBody: .bytes)
        #expect(options(first, conditional).contentKeying(for: .post) == json)
    }

    @Test("the key tells forms, types and codings of content apart, however they are cut (RFC 10008)")
    func preamble() {
        func preamble(_ keying: ContentKeying, _ lines: (String, String)...) -> [UInt8] {
            var fields = Fields()
            for (name, value) in lines { fields.append(name: name, value: value) }
            return keying.preamble(fields)
        }
        let different = [
            preamble(.bytes), preamble(json), preamble(.bytes, ("Content-Type", "a/b")),
            preamble(.bytes, ("Content-Type", "a/c")), preamble(.bytes, ("Content-Encoding", "a/b")),
            preamble(.bytes, ("Content-Type", "a"), ("Content-Encoding", "/b")),
        ]
        #expect(Set(different).count == different.count)
        #expect(preamble(.bytes, ("Content-Type", "a/b"), ("X-Other", "1")) == different[2])
        // Of a field with several lines all count.
        let lines = [
            preamble(.bytes, ("Content-Type", "a/b"), ("content-type", "a/c")),
            preamble(.bytes, ("Content-Type", "a/b"), ("Content-Type", "a/d")),
            preamble(.bytes, ("Content-Type", "a/c"), ("Content-Type", "a/b")),
        ]
        #expect(Set(different + lines).count == different.count + lines.count)
        #expect(lines[0] == preamble(.bytes, ("Content-Type", "a/b, a/c")))
    }

    @Test("of content outside of the key, a mutation may change what there is, and so may what only the server knows")
    func changes() {
        for reason in [UnkeyedContent.mutation, .persisted] { #expect(reason.mayChange, "\(reason)") }
        for reason in [UnkeyedContent.form, .batch, .subscription] { #expect(!reason.mayChange, "\(reason)") }
    }

    @Test("explanations name the rule, or that there is none")
    func notes() {
        #expect(options().contentKeyNote(for: .post) == nil)
        let plain = "the content of QUERY is part of the key (bytes); in listings each has a URL of its own"
        #expect(options().contentKeyNote(for: .query) == DecisionNote("key-body", plain, "RFC 10008"))
        let note = options(CachingRule(name: "rule 3", keyBody: json)).contentKeyNote(for: .post)
        #expect(note?.sentence.contains("part of the key (json), by rule 3") == true)
        #expect(note?.remedy == "key-body in rule 3")
    }
}
