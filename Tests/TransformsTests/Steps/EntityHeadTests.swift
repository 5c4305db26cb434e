import HTTPCore
import Testing

@testable import Transforms

@Suite("Heads that transformers see") struct EntityHeadTests {
    @Test(
        "an event stream is told by its type alone, in any case",
        arguments: [
            ("text/event-stream", true), ("Text/Event-Stream; charset=utf-8", true), ("text/event-streams", false),
            ("text/plain", false), ("event-stream", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func eventStream(type: String?, isEventStream: Bool) {
        let fields = Sample.fields(type.map { [("Content-Type", $0)] } ?? [])
        #expect(EntityHead(status: 200, fields: fields).isEventStream == isEventStream)
    }
}
