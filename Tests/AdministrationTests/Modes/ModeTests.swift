import Administration
import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

/// `/v1/mode`.
@Suite struct ModeTests {
    private static func admin(_ chosen: Noted<String>) throws -> TestAdmin {
        try TestAdmin { source, _ in
            source.modes = ModeSource(
                general: { .auto },
                services: { [("a", nil), ("b", .offline)] },
                choose: { mode, service in
                    chosen.note("\(mode.rawValue) \(service ?? "-")")
                    return service != "none-such"
                }
            )
        }
    }

    private static func put(_ admin: TestAdmin, _ json: String) throws -> Answer {
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
        return try admin.send("PUT", "/v1/mode", fields, content: Array(json.utf8))
    }

    private static let text = """
        {"mode":"auto","services":[{"name":"a","mode":"auto","own":false},{"name":"b","mode":"offline","own":true}],\
        "outages":[]}

        """

    @Test("a service without a mode of its own has the general one, and does not call it its own")
    func shown() throws {
        let chosen = Noted<String>()
        #expect(try Self.admin(chosen).get("/v1/mode").text == Self.text)
        #expect(chosen.all.isEmpty)
    }

    @Test("a mode is chosen for one service or for all others, and the answer is what holds then")
    func chosen() throws {
        let chosen = Noted<String>()
        let admin = try Self.admin(chosen)
        #expect(try Self.put(admin, #"{"mode":"offline"}"#).text == Self.text)
        #expect(try Self.put(admin, #"{"mode":"replay","service":"b"}"#).text == Self.text)
        #expect(chosen.all == ["offline -", "replay b"])
        let unknown = try Self.put(admin, #"{"mode":"auto","service":"none-such"}"#)
        #expect(unknown.status == 404 && unknown.text.contains("there is no service of this name"))
        #expect(unknown.text.contains(#""path":"$.service""#))
    }

    @Test(
        "what is no mode chooses nothing, and the answer names the member",
        arguments: [
            (#"{"mode":"sometimes"}"#, "$.mode"), ("{}", "$.mode"), (#"{"mode":1}"#, "$.mode"),
            (#"{"mode":"auto","more":1}"#, "$.more"), (#"{"mode":"auto","service":1}"#, "$.service"),
        ]
    )
    func wrong(json: String, path: String) throws {
        let chosen = Noted<String>()
        let answer = try Self.put(Self.admin(chosen), json)
        #expect(answer.status == 400 && answer.text.contains("\"path\":\"\(path)\""), "\(answer.text)")
        #expect(chosen.all.isEmpty)
    }

    @Test("a daemon without modes has none to show or to choose")
    func none() throws {
        let admin = try TestAdmin()
        #expect(try admin.get("/v1/mode").status == 404)
        #expect(try Self.put(admin, #"{"mode":"auto"}"#).status == 404)
    }
}
