import HTTPCore
import Testing

@testable import Settings

@Suite struct MistakesTests {
    @Test("ten mistakes of one file are told in one run, sorted by place, each with its line")
    func ten() throws {
        let error = try #require(
            refusal(
                """
                lisen = "127.0.0.1:1"
                loops = "2"
                [limits]
                idle-timeout = 60
                rangs = 4
                [storage]
                limit = "1MB"
                [[rule]]
                match = "/api"
                methods = ["get", "po st"]
                [[rule]]
                ttl = "1h"
                [service.GitHub]
                base = "https://api.github.example"
                """
            )
        )
        #expect(error.mistakes.count == 10)
        #expect(
            error.mistakes.map(\.place.summary) == [
                "respite.toml:1:1", "respite.toml:2:9", "respite.toml:4:16", "respite.toml:5:1", "respite.toml:7:9",
                "respite.toml:9:9", "respite.toml:10:12", "respite.toml:10:19", "respite.toml:11:1",
                "respite.toml:13:10",
            ]
        )
        #expect(error.mistakes.allSatisfy { $0.lineText != nil && !$0.userMessage.isEmpty })
        #expect(error.description.hasSuffix("\n10 mistakes"))
        #expect(error.description.split(separator: "\n").count { $0.hasSuffix("^") } == 10)
        #expect(error.summary.hasSuffix("; 9 more mistakes"))
    }

    @Test("mistakes of file and options are told together, the file's first")
    func options() throws {
        let error = try #require(refusal("loops = -1\n", options: ["mode=of", "lops=1"]))
        #expect(error.mistakes.map(\.source) == ["respite.toml", "--set", "--set"])
    }

    @Test("settings that contradict each other are told beside other mistakes, but not those with mistakes themselves")
    func contradictions() throws {
        let text = """
            listen = "0.0.0.0:3128"
            admin = "0.0.0.0:3129"
            mode = "of"
            [storage]
            limit = "1GiB"
            max-object-size = "2GiB"
            """
        let error = try #require(refusal(text))
        #expect(error.mistakes.map { $0.line ?? 0 } == [1, 2, 3, 6])
        // Given a list of clients that cannot be read, nothing is said about an open proxy.
        let clients = try #require(refusal("listen = \"0.0.0.0:3128\"\naccess.clients = [\"10.0.0.1/8\"]\n"))
        #expect(clients.mistakes.map { $0.line ?? 0 } == [2])
    }

    // MARK: Text that is not TOML

    @Test("what follows text that is not TOML is read on, and nothing is said to be missing that stood there")
    func syntax() throws {
        let text = """
            mode = auto
            loops = 1
            loops = 2
            [limits
            rangs = 4
            [memory]
            limit = 64MiB
            [[rule]]
            match = "https://a.example/**
            ttl = "1 fortnight"
            listen = ["127.0.0.1:1"
            """
        let error = try #require(refusal(text))
        #expect(error.mistakes.map { $0.line ?? 0 } == [1, 3, 4, 7, 9, 10, 11])
        #expect(error.mistakes[1].userMessage.contains("the first is in line 2"))
    }

    @Test(
        "a faulty statement of several lines is one mistake",
        arguments: [
            ("listen = [\n  \"127.0.0.1:1\",\n  oops,\n]\nloops = -1\n", [3, 5]),
            ("listen = [\"127.0.0.1:1\",\n\nloops = -1\nmode = \"of\"\n", [3, 3, 4]),
            ("a = { b = 1, c 2 }\nloops = -1\n", [1, 2]),
            ("x = \"\"\"\nabc\nloops = -1\n", [3, 3]),
            ("[[[1]]]\nloops = -1\n", [1]),
        ]
    )
    func blocks(_ text: String, _ lines: [Int]) throws {
        let error = try #require(refusal(text))
        #expect(error.mistakes.map { $0.line ?? 0 } == lines, "\(error)")
    }

    @Test("text that is no TOML at all ends after twenty mistakes")
    func noise() throws {
        let error = try #require(refusal(String(repeating: "?!\n", count: 500)))
        #expect(error.mistakes.count == 20)
    }

    @Test("an unknown setting that is like none says that a newer version may know it")
    func newer() throws {
        let error = try #require(
            refusal("[quic]\nport = 443\n[[rule]]\nmatch = \"http://a.example/\"\nprefetching = true\n")
        )
        #expect(error.mistakes.count == 2)
        for mistake in error.mistakes {
            #expect(mistake.userMessage.contains("this is version \(Version.text), and a newer one may know it"))
        }
    }
}
