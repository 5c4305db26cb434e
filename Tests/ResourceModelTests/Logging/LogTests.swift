import HTTPCore
import Locking
import TestDoubles
import Testing
import Transforms

@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel

/// What one test saw of the log: messages that bear its mark, since the log belongs to the whole process.
final class Heard: Sendable {
    private let messages = Lock<[String]>([])

    var all: [String] { messages.withLock { $0 } }

    func note(_ message: String) { messages.withLock { $0.append(message) } }

    func listen(for mark: String) {
        RespiteLog.messageHandler = { category, message in
            if message.contains(mark) { self.messages.withLock { $0.append("\(category): \(message)") } }
        }
    }
}

@Suite("Log categories", .serialized)
struct LogTests {
    /// Runs `body` with some categories enabled; afterwards the log is silent as it was.
    func withLog(_ enabled: Set<RespiteLog.Category>, _ body: (Heard) -> Void) {
        let before = (RespiteLog.Category.enabled, RespiteLog.messageHandler)
        defer { (RespiteLog.Category.enabled, RespiteLog.messageHandler) = before }
        let heard = Heard()
        heard.listen(for: "mark")
        RespiteLog.Category.enabled = enabled
        body(heard)
    }

    @Test("presets: common, detailed (all but network details), all (S-229)")
    func presets() {
        #expect(RespiteLog.Category.common == [.network, .stateChanges, .staleness])
        #expect(RespiteLog.Category.detailed.count == 7)
        #expect(!RespiteLog.Category.detailed.contains(.networkDetails))
        #expect(RespiteLog.Category.all.count == 8)
    }

    @Test("categories are switched while the program runs (S-229)")
    func switching() {
        withLog([.cache]) { heard in
            RespiteLog.log(.cache, "mark 1")
            RespiteLog.log(.network, "mark 2")
            RespiteLog.Category.enabled = [.network]
            #expect(RespiteLog.Category.enabled == [.network])
            RespiteLog.log(.cache, "mark 3")
            RespiteLog.log(.network, "mark 4")
            #expect(heard.all == ["cache: mark 1", "network: mark 4"])
        }
    }

    @Test("a base URL that is none is a warning, which names the service (S-011)")
    func baseURL() {
        withLog([.network]) { heard in
            for base in ["http://mark.example/", "mark: none"] {
                _ = Service(
                    baseURL: base,
                    networking: StubNetworking(),
                    name: "api",
                    environment: TestService.environment
                )
            }
            #expect(heard.all == ["network: WARNING: no URL, as the base URL of api should be: \"mark: none\""])
        }
    }

    @Test("a warning of text that is no URL shows 200 characters of it at most (S-011)")
    func longAddress() {
        withLog([.network]) { heard in
            let text = "mark " + String(repeating: "x", count: 195)
            for rest in ["", "y"] { _ = TestService.service().resource(absoluteURL: text + rest) }
            let warning = "network: WARNING: no URL, as the address of a resource should be: \"\(text)\""
            #expect(heard.all == [warning, warning])
        }
    }

    @Test("the message of a disabled category is not evaluated (S-230)")
    func laziness() {
        var evaluated = 0
        func message() -> String {
            evaluated += 1
            return "mark"
        }
        withLog([.pipeline]) { heard in
            RespiteLog.log(.observers, message())
            #expect(evaluated == 0)
            RespiteLog.log(.pipeline, message())
            #expect(evaluated == 1)
            #expect(heard.all == ["pipeline: mark"])
        }
    }

    @Test("the way to the handler is as short after many messages as at the first one (S-231)")
    func manyMessages() {
        withLog([.cache]) { heard in
            // A function that is wrapped once more by each message would take all of a thread's stack.
            for _ in 0..<100_000 { RespiteLog.log(.cache, "x") }
            RespiteLog.log(.cache, "mark")
            #expect(heard.all == ["cache: mark"])
        }
    }

    @Test("a handler may ask the resource it hears of: nothing is logged under its lock (S-231, S-232)")
    func handlerAsks() {
        let resource = ProgramWorld { _ in .answer() }.resource("/mark")
        withLog(RespiteLog.Category.all) { heard in
            RespiteLog.messageHandler = { category, message in
                guard message.contains("mark") else { return }
                heard.note("\(category) \(resource.isLoading)")
            }
            resource.loadIfNeeded()
            #expect(heard.all.contains("staleness true") || heard.all.contains("staleness false"))
            #expect(heard.all.contains("stateChanges true"))
        }
    }

    @Test("a step that works on content as a whole tells what it made, or that it failed (S-229)")
    func steps() {
        let failing = ScriptedTransformer(
            name: "mark",
            way: .whole { bytes throws(TransformFailure) in
                if bytes.isEmpty { throw TransformFailure(.invalidContent, "nothing") }
                return bytes
            }
        )
        let load = TransformedLoad([]) { $0.add(PipelineStep(failing), to: .model) }
        withLog([.pipeline]) { heard in
            #expect(load("abc", "text/plain").isSuccess)
            #expect(!load("", "text/plain").isSuccess)
            #expect(heard.all == ["pipeline: model: mark → text/plain", "pipeline: model: mark failed"])
        }
    }

    @Test("printed lines have a prefix of one width, and name the thread (S-231)")
    func printing() {
        let lines = RespiteLog.Category.allCases.map { RespiteLog.line($0, "x", thread: "7") }
        #expect(Set(lines.map(\.count)).count == 1)
        #expect(RespiteLog.line(.networkDetails, "a\nb", thread: "7") == "respite:networkDetails │ [7] a\n    b")
        #expect(RespiteLog.line(.cache, "hit", thread: "7f") == "respite:cache          │ [7f] hit")
    }

    @Test(
        "text that is no URL is warned of; what applies to a resource is told once, without values of fields (S-011, S-232)"
    )
    func addresses() {
        withLog([.network, .configuration]) { heard in
            let service = TestService.service("https://mark.example/")
            service.configure(description: "key") { $0.headers["Authorization"] = "secret" }
            _ = service.resource(absoluteURL: "mark \n")
            #expect(heard.all.count == 1 && heard.all[0].hasPrefix("network: WARNING: "))
            for _ in 0..<2 { _ = service.resource("/a").configuration(for: .post) }
            _ = service.resource("/a").configuration(for: .put)
            let told = heard.all.dropFirst()
            #expect(told.first?.hasPrefix("configuration: POST https://mark.example/a: entries 1 [key]; ") == true)
            #expect(told.count == 2 && told.first?.hasSuffix("headers Authorization") == true)
        }
    }
}
