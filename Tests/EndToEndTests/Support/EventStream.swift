import TestSupport

/// The admin listener's live events, read one after another.
final class EventStream {
    private let client: WireClient
    private var pending = ""

    /// Subscribes; events that happen after this returned are seen.
    init(_ daemon: DaemonProcess, query: String = "") throws {
        client = try WireClient(port: daemon.adminPort)
        let fields = ["Host: 127.0.0.1:\(daemon.adminPort)", "Authorization: Bearer \(try daemon.token)"]
        try client.send("GET", "/v1/events" + query, fields + ["Accept: text/event-stream"])
        let head = try client.readHead()
        guard head.status == 200, head["Content-Type"]?.hasPrefix("text/event-stream") == true else {
            throw HarnessError("no event stream: \(head.head)")
        }
    }

    /// The next event that fits, as its lines were sent; those before it are skipped.
    func next(_ what: String, where fits: (String) -> Bool = { _ in true }) throws -> String {
        while true {
            while let end = pending.ranges(of: "\n\n").first {
                let event = String(pending[..<end.lowerBound])
                pending.removeSubrange(..<end.upperBound)
                if event.contains("data:"), fits(event) { return event }
            }
            let piece = try client.reader.content(upTo: 65_536)
            guard !piece.isEmpty else { throw HarnessError("the event stream ended before \(what)") }
            pending += String(decoding: piece, as: UTF8.self)
        }
    }
}

extension DaemonProcess {
    func events() throws -> EventStream { try EventStream(self) }
}
