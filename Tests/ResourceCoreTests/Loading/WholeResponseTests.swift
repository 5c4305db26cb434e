import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing
import Transforms

/// A response in one piece is taken by one call; nobody can tell it from the same response step by step.
@Suite("Responses in one piece")
struct WholeResponseTests {
    struct Case: CustomStringConvertible, Sendable {
        var description: String
        var status: UInt16 = 200
        var lines: [(String, String)] = [("Cache-Control", "max-age=60")]
        var text = "abc"
        /// Of all requests but the first, which has none.
        var asked: [(String, String)] = []
        /// What is stored before.
        var before: [(String, String)] = []
        /// Who causes the load leaves before it is answered.
        var leaderLeaves = false
        var inMemory = GrowingBody.Limits().inMemory
        var filters = false
    }

    static let cases: [Case] = [
        Case(description: "stored"), Case(description: "empty", text: ""),
        Case(description: "no content", status: 204, text: ""),
        Case(description: "for nobody else", lines: [("Cache-Control", "no-store")]),
        Case(description: "without a lifetime", lines: []),
        Case(description: "incremental", lines: [("Cache-Control", "max-age=60"), ("Incremental", "?1")]),
        Case(
            description: "Vary",
            lines: [("Cache-Control", "max-age=60"), ("Vary", "X-Kind")],
            asked: [("X-Kind", "1")]
        ),
        Case(
            description: "private",
            lines: [("Cache-Control", "private, max-age=60")],
            asked: [("Cookie", "a=b")]
        ),
        Case(description: "a cookie", lines: [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")]),
        Case(
            description: "hop by hop",
            lines: [("Connection", "X-A"), ("X-A", "1"), ("Warning", "1"), ("ETag", "\"a\"")]
        ),
        Case(description: "an error", status: 500, lines: []),
        Case(description: "an error with a pause", status: 503, lines: [("Retry-After", "30")]),
        Case(description: "not found", status: 404),
        Case(description: "validated", status: 304, lines: [], text: "", before: [("ETag", "\"a\"")]),
        Case(description: "a 304 nobody asked for", status: 304, lines: [], text: ""),
        Case(description: "replaced", text: "other", before: [("ETag", "\"a\"")]),
        Case(description: "a part of what is asked", status: 206, lines: [("Content-Range", "bytes 0-2/9")]),
        Case(description: "its cause has left", leaderLeaves: true),
        Case(description: "its cause has left, and nobody may share it", lines: [], leaderLeaves: true),
        Case(description: "too large for memory", inMemory: 2),
        Case(description: "for a file", text: String(repeating: "a", count: 100_000)),
        Case(description: "transformed", filters: true),
    ]

    /// All that can be seen of a load, as text.
    private static func run(_ one: Case, inOnePiece: Bool) -> [String] {
        let store = MemoryVariantStore()
        var configuration = Configuration()
        configuration.body.inMemory = one.inMemory
        if one.filters { configuration.pipeline.add(PipelineStep(ScriptedTransformer.suffix("!")), to: .model) }
        let world = World(store: store, configuration: configuration)
        let resource = world.resource()
        let observer = EventRecorder()
        if !one.before.isEmpty { world.fill("/a", [("Cache-Control", "max-age=0")] + one.before) }
        resource.addObserver(observer)
        world.runUntilIdle()
        let first = world.get()
        let others = [
            world.get("/a", one.asked), world.get("/a", one.asked), world.get("/a", [("Range", "bytes=0-1")]),
        ]
        if one.leaderLeaves { first.leave() }
        let load = world.last
        load.answer(one.status, one.lines, one.text, inOnePiece: inOnePiece)
        world.runUntilIdle()
        for writer in store.writers { writer.flush() }
        world.runUntilIdle()
        let late = world.get("/a", one.asked)
        let records = store.records(of: World.uri("/a")).map { record in
            "\(record.partition) \(record.selection) \(record.status) \(Self.text(record.fields)) \(record.body.count)"
        }
        let seen = ([first] + others + [late]).map { client in
            [
                client.text, "\(client.answers) \(client.isHit)", String(describing: client.ending),
                String(describing: client.outcome), String(describing: client.pass),
                String(describing: client.failure?.userMessage), Self.text(client.following?.fields ?? Fields()),
            ].joined(separator: " | ")
        }
        return [
            "events \(observer.notes.value)", "store \(store.log)", "records \(records)",
            "requests \(world.provider.count)",
            "data " + Self.text(resource.snapshot.latestResponse?.fields ?? Fields()),
            "notes \(world.explain(one.asked))",
        ] + seen
    }

    private static func text(_ fields: Fields) -> String {
        fields.lines.map { line in
            String(decoding: fields.name(of: line) + [0x3A] + fields.value(of: line), as: UTF8.self)
        }.joined(separator: ", ")
    }

    @Test("what is kept of a small response takes no more memory than it needs", arguments: [true, false])
    func compact(isFiltered: Bool) throws {
        let store = MemoryVariantStore()
        var configuration = Configuration()
        if isFiltered { configuration.pipeline.add(PipelineStep(ScriptedTransformer.suffix("!")), to: .model) }
        let world = World(store: store, configuration: configuration)
        world.fill("/a", [("Cache-Control", "max-age=60")], "abc")
        let stored = try #require(world.resource().snapshot.variants.first)
        guard case .bytes(let bytes) = stored.body else {
            Issue.record("\(stored.body)")
            return
        }
        #expect(bytes == Array("abc".utf8) && bytes.capacity < 100)
    }

    @Test("clients, observers, store and later requests see the same as if it came step by step", arguments: cases)
    func same(one: Case) {
        let steps = Self.run(one, inOnePiece: false)
        let whole = Self.run(one, inOnePiece: true)
        #expect(whole == steps)
    }
}
