import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Explanations of streams")
struct StreamExplainTests {
    private static func world(_ records: Bool) -> World {
        var configuration = Configuration()
        configuration.caching.rules = [
            CachingRule(name: "r", ttlSeconds: 60, recordsStreams: records, replayPace: .speed(1))
        ]
        let world = World(configuration: configuration)
        world.get()
        world.last.head(200, [("Content-Type", "text/event-stream")])
        for event in ["one", "two"] {
            world.timekeeper.advance(by: .milliseconds(750))
            world.last.content("data: \(event)\n\n")
        }
        world.last.end()
        world.runUntilIdle()
        return world
    }

    @Test("a recorded stream is told with its pieces, its time and the rules")
    func recorded() {
        let text = Self.world(true).explain().joined(separator: "\n")
        #expect(text.contains("stream: a stream of 2 pieces within 1.5 s is stored"))
        #expect(text.contains("record-streams: a complete stream is stored, and identical requests join it, by r"))
        #expect(text.contains("replay-pace: its pieces are sent as they came, by r"))
    }

    @Test("a stream that no rule records is told with the remedy")
    func unrecorded() {
        let text = Self.world(false).explain().joined(separator: "\n")
        #expect(text.contains("it is a stream of events") && text.contains("record-streams = true in a rule"))
        #expect(!text.contains("pieces"))
    }
}
