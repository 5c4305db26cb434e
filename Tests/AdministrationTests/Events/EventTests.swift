import Administration
import HTTPCore
import ResourceCore
import Testing
import TestSupport

/// `/v1/events`.
struct EventTests {
    /// An event stream, read event by event.
    final class Listener {
        private let client: RawClient
        private var pending: [UInt8] = []
        /// Where the block that is read next begins.
        private var start = 0

        init(
            _ admin: TestAdmin,
            _ path: String = "/v1/events",
            query: String = "",
            last: String? = nil,
            receiveBuffer: Int32? = nil
        ) throws {
            client = RawClient(port: admin.port, receiveBuffer: receiveBuffer)
            let fields = [admin.host, TestAdmin.bearer] + (last.map { ["Last-Event-ID: \($0)"] } ?? [])
            // Without chunks, so that what comes are the events alone.
            let head = (["GET \(path)\(query) HTTP/1.0"] + fields + ["", ""]).joined(separator: "\r\n")
            client.send(Array(head.utf8))
            let answer = try next()
            try #require(answer.contains("200 OK") && answer.contains("text/event-stream"), "\(answer)")
            _ = try next()
        }

        /// The next block of lines.
        func next() throws -> String {
            var place = start
            while true {
                while place + 1 < pending.count {
                    defer { place += 1 }
                    guard pending[place] == 0x0A else { continue }
                    let isHead = pending[place + 1] == 0x0D
                    guard pending[place + 1] == 0x0A || isHead else { continue }
                    let block = String(decoding: pending[start..<place], as: UTF8.self)
                    start = place + (isHead ? 3 : 2)
                    return block
                }
                guard case .bytes(let piece) = client.receiveSome() else { throw HarnessError("the stream ended") }
                pending.removeFirst(start)
                place -= start
                start = 0
                pending += piece
            }
        }

        /// The value of a line of an event.
        static func value(_ name: String, _ event: String) -> String {
            let line = event.split(separator: "\n").first { $0.hasPrefix("\(name): ") }
            return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
    }

    @Test("events of all resources come live, each with a number, name and state")
    func live() throws {
        let admin = try TestAdmin()
        let listener = try Listener(admin)
        let held = try admin.hold("http://h.example/a", "1234")
        let event = try listener.next()
        #expect(Listener.value("event", event) == "newData" && Listener.value("id", event).hasSuffix("-1"))
        let data = Listener.value("data", event)
        #expect(data.contains("\"uri\":\"http://h.example/a\"") && data.contains("\"source\":\"localOverride\""))
        #expect(data.contains("\"size\":4") && data.contains("\"state\":\"fresh\""))
        held.wipe()
        #expect(Listener.value("data", try listener.next()).contains("\"source\":\"wipe\""))
    }

    @Test("a filter lets only some resources through")
    func filter() throws {
        let admin = try TestAdmin()
        let listener = try Listener(admin, query: "?filter=http://h.example/b/**")
        let held = try ["a/1", "b/1", "a/2", "b/2"].map { try admin.hold("http://h.example/\($0)") }
        #expect(try listener.next().contains("http://h.example/b/1"))
        #expect(try listener.next().contains("http://h.example/b/2"))
        withExtendedLifetime(held) {}
    }

    @Test("who comes back goes on behind the last event it had")
    func resuming() throws {
        let admin = try TestAdmin()
        var first: Listener? = try Listener(admin)
        let other = try Listener(admin)
        var held = [try admin.hold("http://h.example/1")]
        let id = Listener.value("id", try #require(try first?.next()))
        first = nil
        for number in 2...4 { held.append(try admin.hold("http://h.example/\(number)")) }
        for number in 1...4 { #expect(try other.next().contains("http://h.example/\(number)\"")) }
        let again = try Listener(admin, last: id)
        for number in 2...4 { #expect(try again.next().contains("http://h.example/\(number)\"")) }
    }

    @Test("who was somewhere unknown is told that there is a gap", arguments: ["x", "other-3", "", "-", "1-2-3"])
    func unknownPlace(id: String) throws {
        let admin = try TestAdmin()
        let listener = try Listener(admin, last: id)
        #expect(Listener.value("event", try listener.next()) == "gap")
        let held = try admin.hold("http://h.example/1")
        #expect(try listener.next().contains("http://h.example/1"))
        withExtendedLifetime(held) {}
    }

    @Test("who is too far behind is told how many events are gone; no more are kept than the limit")
    func tooFarBehind() throws {
        let admin = try TestAdmin { _, options in options.keptEvents = 100 }
        let witness = try Listener(admin)
        let held = try admin.hold("http://h.example/")
        let id = Listener.value("id", try witness.next())
        for _ in 0..<500 { held.overrideLocalData([1], fields: Fields()) }
        for _ in 0..<500 { _ = try witness.next() }
        let late = try Listener(admin, last: id)
        let gap = try late.next()
        #expect(Listener.value("event", gap) == "gap")
        let missed = try #require(Int(Listener.value("data", gap).filter(\.isNumber)))
        #expect(missed >= 400 && missed < 500)
        for number in missed..<500 { #expect(Listener.value("id", try late.next()).hasSuffix("-\(number + 2)")) }
    }

    @Test("as long as no more are kept than the limit says, none is gone")
    func allKept() throws {
        let admin = try TestAdmin { _, options in options.keptEvents = 100 }
        let witness = try Listener(admin)
        let held = try admin.hold("http://h.example/")
        let id = Listener.value("id", try witness.next())
        for _ in 0..<99 { held.overrideLocalData([1], fields: Fields()) }
        for _ in 0..<99 { _ = try witness.next() }
        let late = try Listener(admin, last: id)
        for _ in 0..<99 { #expect(Listener.value("event", try late.next()) != "gap") }
    }

    @Test("without events the stream shows that it lives")
    func heartbeat() throws {
        let admin = try TestAdmin { _, options in options.heartbeat = .milliseconds(5) }
        let listener = try Listener(admin)
        #expect(try listener.next() == ":")
        #expect(try listener.next() == ":")
    }
}
