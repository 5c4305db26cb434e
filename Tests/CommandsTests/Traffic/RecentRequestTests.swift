import CommandSyntax
import TestSupport
import Testing

@testable import Commands

/// How recent requests are asked for.
@Suite struct RecentRequestTests {
    private let directory = TemporaryDirectory()

    private func client(_ daemon: AnsweringOrigin) throws -> AdminClient {
        try AdminClient(
            try ParsedCommand.parse([
                "status", "--admin", "127.0.0.1:\(daemon.port)", "--config", "/dev/null",
                "--token-file", directory.path("token"),
            ])
        )
    }

    /// A daemon that has requests of the seconds 9 to 0 of 1970, two a page.
    private static func daemon() -> AnsweringOrigin {
        AnsweringOrigin { request in
            let cursor = request.target.firstRange(of: "&cursor=").map { request.target[$0.upperBound...] }
            let first = cursor.flatMap { Int($0) } ?? 9
            let requests = [first, first - 1].map { #"{"id":"\#($0)","time":"1970-01-01T00:00:0\#($0).000Z"}"# }
            let next = first > 1 ? #","next":"\#(first - 2)""# : ""
            let json = #"{"requests":[\#(requests.joined(separator: ","))]\#(next)}"#
            return .init(200, [("Content-Type", "application/json")], json)
        }
    }

    private static func page(_ cursor: Int? = nil, limit: Int = 1000) -> String {
        "/v1/requests?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")
    }

    @Test("pages of a thousand follow each other until there is none, or the requests are too old")
    func pages() throws {
        let all = Self.daemon()
        let ids = try client(all).recentRequests()?.map(\.id)
        #expect(ids == (0...9).reversed().map { "\($0)" })
        #expect(all.requests.map(\.target) == [nil, 7, 5, 3, 1].map { Self.page($0) })
        for (start, found, pages) in [(6000, 4, 3), (6001, 3, 2), (5999, 4, 3)] as [(Int64, Int, Int)] {
            let some = Self.daemon()
            #expect(try client(some).recentRequests(since: start)?.count == found)
            #expect(some.requests.count == pages, "\(start)")
        }
    }

    @Test("no more are asked for than are wanted")
    func limits() throws {
        let daemon = Self.daemon()
        #expect(try client(daemon).recentRequests(limit: 4)?.count == 4)
        #expect(daemon.requests.map(\.target) == [Self.page(limit: 4), Self.page(7, limit: 2)])
    }

    @Test("a daemon that keeps none is told from one that fails")
    func none() throws {
        func found(_ status: Int) throws -> [AnsweredRequest]? {
            let daemon = AnsweringOrigin { _ in .init(status, [("Content-Type", "application/json")], "{}") }
            return try client(daemon).recentRequests()
        }
        #expect(try found(404) == nil)
        #expect(try found(200) == [])
        #expect(throws: CommandFailure.self) { try found(500) }
    }
}
