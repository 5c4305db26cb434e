import Exchanges
import HTTPCore
import ResourceDoubles
import Testing

@Suite("Requests to origins") struct OriginRequestTests {
    private static func request(
        upgrade: [UInt8]? = nil,
        identity: String? = nil,
        host: [UInt8]? = nil
    ) -> OriginRequest {
        OriginRequest(
            method: .get,
            uri: World.uri("/a"),
            fields: Fields(),
            upgrade: upgrade,
            identity: identity,
            host: host
        )
    }

    @Test("what few requests have is kept, each alone")
    func extras() {
        #expect(Self.request(upgrade: Array("websocket".utf8)).upgrade == Array("websocket".utf8))
        #expect(Self.request(identity: "api").identity == "api")
        #expect(Self.request(host: Array("h".utf8)).host == Array("h".utf8))
        let plain = Self.request()
        #expect(plain.upgrade == nil && plain.identity == nil && plain.host == nil && plain.credential == nil)
        var changed = plain
        changed.upgrade = Array("h2c".utf8)
        #expect(changed.upgrade == Array("h2c".utf8) && plain.upgrade == nil)
    }

    @Test("256 KiB of content may come before the receiver grants more, unless another number is given")
    func credit() {
        var request = Self.request()
        #expect(request.initialCredit == 262_144)
        request.initialCredit = 5
        #expect(request.initialCredit == 5)
    }
}
