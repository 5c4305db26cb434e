import Testing

@testable import Platform

@Suite struct ResidentMemoryTests {
    @Test("the counts of pages become bytes, with and without those of files")
    func counts() {
        let memory = ResidentMemory(statm: "9000 300 120 40 0 500 0\n", pageSize: 4096)
        #expect(memory?.all == 300 * 4096 && memory?.anonymous == 180 * 4096)
        for text in ["", "9000 300", "9000 x 120", "9000 100 120", "9000 9223372036854775807 0"] {
            #expect(ResidentMemory(statm: text, pageSize: 4096) == nil)
        }
        #expect((ResidentMemory.now?.anonymous ?? 0) > 0)
    }
}
