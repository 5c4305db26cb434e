import Testing
import TestSupport

/// The harness itself: client and scripted origin understand each other without a daemon between them.
struct HarnessTests {
    @Test(
        "the client reads what the origin writes, whatever the framing",
        arguments: ["Content-Length: 11", "Transfer-Encoding: chunked", "Connection: close"]
    )
    func framings(field: String) throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", [field])
            guard field.hasPrefix("Transfer") else {
                try exchange.sendRaw("hello world")
                return field.hasPrefix("Connection") ? exchange.close() : ()
            }
            try exchange.sendChunk(Array("hello ".utf8))
            try exchange.sendChunk(Array("world".utf8))
            try exchange.endChunks(trailers: ["X-T: 1"])
        }
        let client = try WireClient(port: origin.port)
        let response = try client.exchange("GET", "/", ["Host: h"])
        #expect(response.text == "hello world")
        #expect(response.trailers["X-T"] == (field.hasPrefix("Transfer") ? "1" : nil))
        if field.hasPrefix("Content") {
            #expect(try client.exchange("GET", "/2", ["Host: h"]).text == "hello world")
            #expect(origin.requests.map(\.target) == ["/", "/2"])
        }
    }

    @Test("a cut response and a reset are errors for the client")
    func cut() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Content-Length: 100"])
            try exchange.sendRaw("part")
            exchange.target == "/reset" ? exchange.reset() : exchange.close()
        }
        for target in ["/close", "/reset"] {
            let client = try WireClient(port: origin.port)
            #expect(throws: HarnessError.self) { try client.exchange("GET", target, ["Host: h"]) }
        }
    }

    @Test("a stopped origin refuses connections")
    func stopped() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let port = origin.port
        origin.stop()
        #expect(throws: HarnessError.self) {
            try WireClient(port: port).exchange("GET", "/", ["Host: h"])
        }
    }

    @Test("a process's output and exit code are collected")
    func command() throws {
        let outcome = try Command.run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"])
        #expect(outcome.status == 3 && outcome.output == "out\n" && outcome.errors == "err\n")
    }
}
