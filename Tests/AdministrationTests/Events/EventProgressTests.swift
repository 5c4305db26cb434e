import Eventing
import Exchanges
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Testing

/// The progress of loads in streams of events, and events that were lost, on a loop whose time stands still.
@Suite struct EventProgressTests {
    private typealias Still = EventGraceTests.Still

    /// The names of the events in what a listener has received, that of progress with the percentage.
    private static func names(_ received: String) -> [String] {
        var names: [String] = []
        for line in received.split(separator: "\n") {
            if line.hasPrefix("event: ") { names.append(String(line.dropFirst(7))) }
            guard names.last == "progress", let mark = line.ranges(of: "\"progress\":").first else { continue }
            let fraction = Double(String(line[mark.upperBound...].prefix { $0 != "}" && $0 != "," })) ?? -1
            names[names.count - 1] += " \(Int((fraction * 100).rounded()))"
        }
        return names
    }

    @Test("progress is told at intervals while it grows; a load of which some was told ends with all of it (S-219)")
    func progress() throws {
        let still = try Still()
        let provider = HeldProvider()
        still.service.defaultProvider = provider
        let listener = try still.listen()
        func advance(_ milliseconds: Int) -> [String] {
            still.manual.advance(by: .milliseconds(milliseconds))
            still.turn()
            return Self.names(still.received(by: listener))
        }
        // Given a load that has just begun
        let resource = still.service.resource(for: try TargetURI(parsing: "http://h.example/a"))
        resource.load()
        still.turn()
        #expect(Self.names(still.received(by: listener)) == ["requested"])
        // When its content comes in parts, then each report tells what has grown
        #expect(advance(250).isEmpty)
        var fields = Fields()
        fields.append(.cacheControl, "max-age=60")
        let receiver = try #require(provider.receiver.withLock { $0 })
        func receive(_ count: Int) { receiver.exchangeDidReceive(ByteChunk(String(repeating: "x", count: count))) }
        receiver.exchangeDidReceive(ResponseHead(status: 200, fields: fields, framing: .length(100)))
        // Five times a second at most, however many parts come.
        receive(10)
        #expect(advance(50).isEmpty)
        receive(10)
        #expect(advance(50).isEmpty)
        receive(10)
        #expect(advance(100) == ["progress 30"])
        #expect(advance(200).isEmpty)
        receive(30)
        #expect(advance(200) == ["progress 60"])
        // All of it is told at the end only.
        receive(40)
        #expect(advance(200).isEmpty)
        receiver.exchangeDidEnd(trailers: nil)
        #expect(advance(0) == ["progress 100", "newData"])
        #expect(advance(500).isEmpty)
        withExtendedLifetime(resource) {}
    }

    @Test("if more happens at once than a stream can take, it tells how many events are lost, and goes on behind them")
    func lost() throws {
        // Given a listener that has had the first event
        let still = try Still()
        let listener = try still.listen()
        try still.change("a")
        let id = EventTests.Listener.value("id", still.received(by: listener))
        #expect(id.hasSuffix("-1"))
        // When ten events more come than wait for it at most
        let resource = still.service.resource(for: try TargetURI(parsing: "http://h.example/b"))
        for _ in 0..<(16_384 + 10) { resource.wipe() }
        still.turn()
        // Then
        #expect(still.received(by: listener) == "event: gap\ndata: {\"missed\":16394}\n\n")
        try still.change("c")
        let next = still.received(by: listener)
        #expect(EventTests.Listener.value("id", next) == "\(id.dropLast())16396")
        #expect(next.contains("http://h.example/c\""))
    }
}
