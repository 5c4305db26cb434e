import Testing

@testable import Proxying

@Suite("Stored content on its way to a client")
struct StoredContentTests {
    @Test("a file is verified block by block: each ends at the next multiple of a block's size")
    func blocks() {
        let step = StoredContent.step
        let ends = [0, step - 1, step, 2 * step - 1, 2 * step].map(StoredContent.blockEnd)
        #expect(ends == [step, step, 2 * step, 2 * step, 3 * step])
    }
}
