import Administration
import HTTPCore
import JSON
import ResourceCore
import Testing

/// What becomes of a resource that PUT replaces.
@Suite struct OverrideTests {
    private static let url = "http://h.example/a"

    private static func put(_ admin: TestAdmin, _ query: String = "", _ fields: String...) throws -> Answer {
        let all = [admin.host, TestAdmin.bearer] + fields
        return try admin.send("PUT", "/v1/resources?uri=\(url)\(query)", all, content: Array("after".utf8))
    }

    @Test("content without a type keeps that of what is held, and is bytes where nothing is")
    func types() throws {
        let admin = try TestAdmin(hasStore: false)
        let resource = admin.service.resource(for: try TargetURI(parsing: Self.url))
        func type() -> String? { resource.latestResponse?.fields.text(of: .contentType) }
        let made = try Self.put(admin)
        #expect(made.text.hasPrefix(#"{"uri":"http://h.example/a","status":200,"size":5,"durable":"#), "\(made.text)")
        #expect(type() == "application/octet-stream" && resource.latestResponse?.status == 200)
        #expect(try Self.put(admin, "", "Content-Type: text/css").status == 200 && type() == "text/css")
        #expect(try Self.put(admin).status == 200 && type() == "text/css")
    }

    @Test("status and lifetime are those of the query, and the answer names the status")
    func terms() throws {
        let admin = try TestAdmin(hasStore: false)
        let resource = admin.service.resource(for: try TargetURI(parsing: Self.url))
        let made = try Self.put(admin, "&status=404&ttl=77")
        #expect(made.status == 200 && made.text.contains(#""status":404,"size":5"#), "\(made.text)")
        let shown = try admin.json("/v1/resources?uri=\(Self.url)")["variants"]?.elements.first
        #expect(shown?["status"]?.integer == 404 && shown?["ttlSeconds"]?.integer == 77)
        #expect(shown?["in"]?.text == "memory" && shown?["hits"]?.integer == 0)
        withExtendedLifetime(resource) {}
    }
}
