import Administration
import HTTPCore
import ResourceCore
import Settings
import Testing

/// `/v1/services`.
struct ServiceTests {
    static func service() throws -> ServiceFacts {
        ServiceFacts(
            name: "b",
            base: try TargetURI(parsing: "https://api.example/v2"),
            addedFields: ["X-Key"],
            hasCredential: true,
            isEverywhere: true,
            allowedOrigins: ["https://app.example"]
        )
    }

    @Test("a service has its base, how clients name it, its mode, and the names of what is added")
    func list() throws {
        let service = try Self.service()
        let admin = try TestAdmin { source, _ in
            source.services = { [service] }
            source.modes = ModeSource(general: { .auto }, services: { [("b", .offline)] }, choose: { _, _ in true })
        }
        #expect(
            try admin.get("/v1/services").text == """
                {"services":[{"name":"b","base":"https://api.example/v2","path":"/b/","host":"b.localhost",\
                "mode":"offline","addedFields":["X-Key"],"hasCredential":true,"isEverywhere":true,\
                "allowedOrigins":["https://app.example"]}]}

                """
        )
    }

    @Test("a service without a mode of its own has the general one")
    func generalMode() throws {
        let service = try Self.service()
        let admin = try TestAdmin { source, _ in
            source.services = { [service] }
            source.modes = ModeSource(general: { .replay }, services: { [("b", nil)] }, choose: { _, _ in true })
        }
        #expect(try admin.json("/v1/services")["services"]?.elements.first?["mode"]?.text == "replay")
    }

    @Test("a service to which nothing is added says so, and where there are no modes it has none")
    func plain() throws {
        let service = ServiceFacts(name: "a", base: try TargetURI(parsing: "http://a.example/x"))
        let admin = try TestAdmin { source, _ in source.services = { [service] } }
        #expect(
            try admin.get("/v1/services").text == """
                {"services":[{"name":"a","base":"http://a.example/x","path":"/a/","host":"a.localhost",\
                "addedFields":[],"hasCredential":false,"isEverywhere":false,"allowedOrigins":[]}]}

                """
        )
    }
}
