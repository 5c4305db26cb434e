import Testing

@testable import Exchanges

@Suite("Printed messages") struct RespiteLogTests {
    @Test("a printed line has its category in a column; further lines of the message are indented")
    func line() {
        let lines = RespiteLog.line(.network, "one\n\ntwo", thread: "abc").split(separator: "\n")
        #expect(lines == ["respite:network        │ [abc] one", "    ", "    two"])
        #expect(RespiteLog.line(.networkDetails, "x", thread: "0") == "respite:networkDetails │ [0] x")
    }
}
