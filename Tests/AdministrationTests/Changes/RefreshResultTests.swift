import Administration
import Exchanges
import HTTPCore
import ResourceCore
import Testing

/// What a refresh says of the origin's answer.
@Suite struct RefreshResultTests {
    private static let uri = "http://h.example/1"

    /// An admin API whose origin answers the first request with 200, and further ones with `reply`.
    private static func admin(_ reply: PromptProvider.Reply) throws -> TestAdmin {
        let admin = try TestAdmin()
        admin.service.defaultProvider = PromptProvider { request in
            request.fields.contains(.ifNoneMatch)
                ? reply : .response(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v\"")], "hello")
        }
        return admin
    }

    private static func refresh(_ admin: TestAdmin, _ members: String = "") throws -> Answer {
        try admin.post("/v1/refresh", "{\"uri\":\"\(uri)\"\(members)}")
    }

    @Test("new data is told with its status and size, data that has not changed as such")
    func results() throws {
        let admin = try Self.admin(.response(304, [("ETag", "\"v\"")], ""))
        let held = admin.service.resource(for: try TargetURI(parsing: Self.uri))
        #expect(
            try Self.refresh(admin).text
                == "{\"uri\":\"\(Self.uri)\",\"result\":\"newData\",\"status\":200,\"bytes\":5}\n"
        )
        #expect(try Self.refresh(admin).text == "{\"uri\":\"\(Self.uri)\",\"result\":\"notModified\"}\n")
        withExtendedLifetime(held) {}
    }

    @Test(
        "a load that fails is 502 and names the origin's status, or 502 where it gave none",
        arguments: [
            (.response(404, [], "no"), 404), (.response(500, [], "no"), 500), (.failure(.connectionRefused), 502),
            (.failure(.connectionTimeout), 502),
        ] as [(PromptProvider.Reply, Int)]
    )
    func failures(reply: PromptProvider.Reply, status: Int) throws {
        let admin = try TestAdmin()
        admin.service.defaultProvider = PromptProvider { _ in reply }
        let answer = try Self.refresh(admin)
        #expect(answer.status == 502 && answer.text.contains("\(Self.uri) could not be loaded: "), "\(answer.text)")
        #expect(answer.text.contains(" (\(status))\""), "\(answer.text)")
    }

    @Test("with ifOlderThan, what is being loaded is not loaded again")
    func loading() throws {
        let admin = try TestAdmin()
        admin.service.defaultProvider = PromptProvider { _ in .silence }
        let held = admin.service.resource(for: try TargetURI(parsing: Self.uri))
        held.refresh { _ in }
        let answer = try Self.refresh(admin, ",\"ifOlderThan\":1")
        #expect(answer.text == "{\"uri\":\"\(Self.uri)\",\"result\":\"recent\",\"ageSeconds\":0}\n")
    }

    @Test("with ifOlderThan, what was never loaded is loaded; a year is the longest time")
    func never() throws {
        let admin = try Self.admin(.silence)
        #expect(try Self.refresh(admin, ",\"ifOlderThan\":31536000").text.contains(#""result":"newData""#))
        #expect(try Self.refresh(admin, ",\"ifOlderThan\":31536001").status == 400)
    }
}
