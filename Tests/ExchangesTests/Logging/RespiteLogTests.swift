import Locking
import Testing

@testable import Exchanges

@Suite("Printed messages") struct RespiteLogTests {
    @Test("a printed line has its category in a column; further lines of the message are indented")
    func line() {
        let lines = RespiteLog.line(.network, "one\n\ntwo", thread: "abc").split(separator: "\n")
        #expect(lines == ["respite:network        │ [abc] one", "    ", "    two"])
        #expect(RespiteLog.line(.networkDetails, "x", thread: "0") == "respite:networkDetails │ [0] x")
    }

    @Test("at first no category is enabled, and then each by itself")
    func categories() async {
        // In a process of its own, since the log belongs to the whole process.
        await #expect(processExitsWith: .success) {
            #expect(RespiteLog.Category.enabled.isEmpty && !RespiteLog.Category.isAnyEnabled)
            for category in RespiteLog.Category.allCases {
                RespiteLog.Category.enabled = [category]
                #expect(RespiteLog.Category.isAnyEnabled && RespiteLog.Category.enabled == [category])
                #expect(RespiteLog.Category.allCases.filter { $0.isEnabled } == [category])
            }
            RespiteLog.Category.enabled = []
            #expect(RespiteLog.Category.enabled.isEmpty && !RespiteLog.Category.isAnyEnabled)
        }
    }

    @Test("of messages that wait those are kept whose category is enabled; they are passed on once, in order")
    func deferred() async {
        await #expect(processExitsWith: .success) {
            let heard = Lock<[String]>([])
            RespiteLog.messageHandler = { category, message in heard.withLock { $0.append("\(category): \(message)") } }
            RespiteLog.Category.enabled = [.cache, .network]
            let notes = DeferredNotes()
            notes.add(.network, "1")
            notes.add(.observers, "2")
            notes.add(.cache, "3")
            let before = heard.withLock { $0 }
            notes.deliver()
            notes.deliver()
            let all = heard.withLock { $0 }
            #expect(before.isEmpty && all == ["network: 1", "cache: 3"])
        }
    }
}
