import HTTPCore
import TestSupport
import Testing

@testable import HTTPServer

/// How many bytes of answers wait for a client while its next request is answered (H-085).
@Suite struct PipelineRoomTests {
    private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }

    /// The answer to `/fast`.
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfast /fast"
    private static let size = answer.utf8.count

    /// What comes for `count` requests of `/fast` and one that tells how many bytes are unsent, all sent together.
    private static func text(behind count: Int, _ change: @Sendable (inout ServerLimits) -> Void) throws -> String {
        let server = try TestServer(change)
        let client = server.client()
        client.send(String(repeating: get("/fast"), count: count) + get("/unsent"))
        let text = client.receive(until: "bytes unsent")
        #expect(text.hasPrefix(String(repeating: answer, count: count)))
        return text
    }

    @Test("a request waits once unsent answers fill their room, and no sooner", arguments: [0, 1])
    func room(excess: Int) throws {
        let text = try Self.text(behind: 1) { $0.unsentPerExchange = Self.size + excess }
        #expect(text.hasSuffix("\r\n\r\n\(excess * Self.size) bytes unsent"))
    }

    @Test("as many answers as a pipeline is deep leave before the next request is answered", arguments: [2, 3])
    func depth(depth: Int) throws {
        let text = try Self.text(behind: 2) { $0.pipelineDepth = depth }
        #expect(text.hasSuffix("\r\n\r\n\(depth == 2 ? 0 : 2 * Self.size) bytes unsent"))
    }

    @Test("limits are those of the manual unless the settings say otherwise")
    func defaults() {
        let limits = ServerLimits()
        #expect(limits.headerTimeout == .seconds(10) && limits.bodyTimeout == .seconds(30))
        #expect(limits.minimumBodyBytesPerMinute == 240 && limits.bodyRatePeriod == .seconds(60))
        #expect(limits.idleTimeout == .seconds(60) && limits.sendTimeout == .seconds(30))
        #expect(limits.halfCloseTime == .zero && limits.lingeringTime == .seconds(2))
        #expect(limits.pipelineDepth == 16 && limits.pipelineBytes == 65_536 && limits.unsentPerExchange == 262_144)
        #expect(limits.unfinishedHeads == 64 << 20 && limits.maxConnections == 16_384)
        #expect(limits.maxConnectionsPerPeer == 1_024 && !limits.countsLoopbackPeers)
    }
}
