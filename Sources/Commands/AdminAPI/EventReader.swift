/// Reads server-sent events from bytes in pieces of any size.
struct EventReader {
    struct Event: Equatable {
        var name = ""
        var data: [UInt8] = []
    }

    /// The event in place of the missing ones.
    static let gap = Event(name: "gap", data: Array("{}".utf8))

    private var line: [UInt8] = []
    private var event = Event()

    /// The events that end in `bytes`, in order.
    mutating func read(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == 0x0A else {
                line.append(byte)
                continue
            }
            if line.isEmpty {
                if event != Event() { events.append(event) }
                event = Event()
            } else {
                accept(line)
            }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func accept(_ line: [UInt8]) {
        if line.starts(with: "event: ".utf8) {
            event.name = String(decoding: line.dropFirst(7), as: UTF8.self)
        } else if line.starts(with: "data: ".utf8) {
            event.data = Array(line.dropFirst(6))
        }
    }
}
