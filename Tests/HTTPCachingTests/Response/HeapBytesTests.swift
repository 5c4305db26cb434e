import HTTPCaching
import HTTPCore
import Testing

/// The memory that metadata takes beyond its own size, which the eviction policy counts.
@Suite("The memory of metadata") struct HeapBytesTests {
    private func response(_ lines: [FieldLine], ttl: Int64? = nil) -> ResponseMetadata {
        var options = CachingOptions()
        if let ttl { options.rules = [CachingRule(name: "r", ttlSeconds: ttl)] }
        return HTTPCachingTests.response(lines, options: options)
    }

    @Test("names in Vary cost their texts, and what is known of each; an asterisk costs an object alone")
    func vary() {
        #expect(response([("Cache-Control", "max-age=60"), ("Date", date(0))]).heapBytes == 0)
        #expect(response([("Vary", "*")]).heapBytes == HeapSize.object(40))
        for count in [1, 5, 40] {
            let stored = response([("Vary", (0..<count).map { "x-\($0)" }.joined(separator: ","))])
            let names = stored.vary.names
            let texts = HeapSize.array(names) + names.reduce(0) { $0 + HeapSize.array($1) }
            // Two more arrays have a byte for each name; a heap may give each 16 bytes more than it needs.
            let least = HeapSize.object(40) + texts + 2 * HeapSize.object(32 + count)
            #expect(names.count == count && (least...least + 32).contains(stored.heapBytes))
        }
    }

    @Test("names in no-cache and private cost their texts")
    func qualifiedNames() {
        for count in [1, 5, 40] {
            let list = (0..<count).map { "x-\($0)" }.joined(separator: ",")
            for name in ["no-cache", "private"] {
                let stored = response([("Cache-Control", "max-age=60, \(name)=\"\(list)\"")])
                let names = name == "private" ? stored.control.privateFields : stored.control.noCacheFields
                let texts = names.reduce(HeapSize.array(names)) { $0 + HeapSize.array($1) }
                #expect(names.count == count && stored.heapBytes == HeapSize.object(32) + texts)
            }
        }
    }

    @Test("an unusual spelling of Last-Modified costs its text, rules cost 256 bytes, and distant dates an object")
    func extras() {
        let spelled = ("Last-Modified", "Sunday, 06-Nov-94 08:49:37 GMT")
        let distant = ("Date", date(100_000_000_000))
        let one = response([spelled])
        let spelling = HeapSize.array(one.lastModifiedBytes ?? [])
        let box = one.heapBytes - spelling
        let dates = response([distant]).heapBytes - box
        let rules = HeapSize.object(256)
        #expect(spelling > HeapSize.object(32) && box == HeapSize.object(48) && dates == HeapSize.object(48))
        #expect(response([], ttl: 60).heapBytes == box + rules)
        #expect(response([distant], ttl: 60).heapBytes == box + dates + rules)
        let all = response([spelled, distant, ("Vary", "*")], ttl: 60)
        let text = HeapSize.array(all.lastModifiedBytes ?? [])
        #expect(all.heapBytes == HeapSize.object(40) + box + dates + rules + text)
    }
}
