import CommandSyntax
import Administration
import Exchanges
import HTTPCore
import JSON
import Locking
import ResourceCore
import Settings
import Testing

/// `/v1/log`: what of the core's work is logged.
struct LogTests {
    /// Categories of this test, in the place of the process's.
    private final class Switch: Sendable {
        let enabled = Lock<LogWords.Categories>([])
        var source: LogSource {
            LogSource(
                enabled: { self.enabled.withLock { $0 } },
                enable: { categories in self.enabled.withLock { $0 = categories } }
            )
        }
    }

    private static func words(_ answer: Answer, _ name: String = "enabled") throws -> [String] {
        try JSONReader.parse(answer.content)[name]?.elements.compactMap(\.text) ?? []
    }

    private static func put(_ admin: TestAdmin, _ json: String) throws -> Answer {
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: application/json"]
        return try admin.send("PUT", "/v1/log", fields, content: Array(json.utf8))
    }

    @Test("the command line knows the core's categories and their presets")
    func names() {
        #expect(LogCategoryNames.all == LogWords.all)
    }

    @Test("categories are off, and switched while running, by name and by preset; each answer tells what holds (S-229)")
    func switching() throws {
        let categories = Switch()
        let admin = try TestAdmin { source, _ in source.log = categories.source }
        #expect(try Self.words(try admin.get("/v1/log")).isEmpty)
        #expect(
            try Self.words(try Self.put(admin, #"{"enabled": ["cache", "common"]}"#))
                == ["network", "stateChanges", "staleness", "cache"]
        )
        #expect(categories.enabled.withLock { $0 } == [.network, .stateChanges, .staleness, .cache])
        #expect(try Self.words(try Self.put(admin, #"{"enabled": ["all"]}"#)).count == 8)
        #expect(try Self.words(try Self.put(admin, #"{"enabled": ["none", "pipeline"]}"#)) == ["pipeline"])
        #expect(try Self.words(try admin.get("/v1/log")) == ["pipeline"])
        #expect(try Self.words(try Self.put(admin, #"{"enabled": []}"#)).isEmpty)
        let shown = try admin.json("/v1/log")
        #expect(shown["categories"]?.elements.count == 8)
        #expect(
            shown["presets"]?["detailed"]?.elements.count == 7 && shown["presets"]?["none"]?.elements.isEmpty == true
        )
    }

    @Test(
        "what is no category changes nothing, and the answer says where it is wrong (S-229)",
        arguments: [
            #"{"enabled": ["network", "weather"]}"#, #"{"enabled": "network"}"#, #"{"enable": []}"#, "[]", "",
            #"{"enabled": ["all"], "level": "debug"}"#, #"{"enabled": ["all", 1]}"#,
        ]
    )
    func wrong(json: String) throws {
        let categories = Switch()
        categories.enabled.withLock { $0 = [.cache] }
        let admin = try TestAdmin { source, _ in source.log = categories.source }
        let answer = try Self.put(admin, json.isEmpty ? " " : json)
        #expect(answer.status == 400 && categories.enabled.withLock { $0 } == [.cache], "\(answer.text)")
        if json.contains("weather") {
            #expect(answer.text.contains("$.enabled[1]") && answer.text.contains("staleness"))
        }
        if json.contains("level") { #expect(answer.text.contains("the content is wrong at $.level: is unknown")) }
        let fields = [admin.host, TestAdmin.bearer, "Content-Type: text/plain"]
        let typed = try admin.send("PUT", "/v1/log", fields, content: Array(#"{"enabled": ["all"]}"#.utf8))
        #expect(typed.status == 415 && typed.text.contains("the content must be application/json"))
        #expect(categories.enabled.withLock { $0 } == [.cache])
    }

    @Test("nobody switches without the token (S-229)")
    func token() throws {
        let categories = Switch()
        let admin = try TestAdmin { source, _ in source.log = categories.source }
        let fields = [admin.host, "Content-Type: application/json"]
        let content = Array(#"{"enabled": ["all"]}"#.utf8)
        #expect(try admin.send("PUT", "/v1/log", fields, content: content).status == 401)
        #expect(categories.enabled.withLock { $0 }.isEmpty)
    }
}
