import Proxying
import TestSupport
import Testing

/// Conditions on responses of which parts are stored.
@Suite struct AssembledConditionTests {
    @Test("who has the whole already is told so, from stored parts and from an assembled whole (C-22.1)")
    func notModified() throws {
        let origin = RangeOrigin(Array("0123456789".utf8))
        let proxy = try TestProxy()
        for range in ["2-3", "6-7"] {
            #expect(proxy.ask(origin.url, "Range: bytes=\(range)")?.status == 206)
        }
        let known = try #require(proxy.ask(origin.url, "If-None-Match: \"v1\""))
        #expect(known.status == 304 && known.content == "" && known["ETag"] == ["\"v1\""])
        #expect(known["Content-Range"] == [] && known["Via"] == ["1.1 respite-test"])
        #expect(proxy.ask(origin.url, "If-None-Match: \"v2\"")?.content == "0123456789")
    }
}
