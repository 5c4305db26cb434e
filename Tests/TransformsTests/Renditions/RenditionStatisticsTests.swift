import Testing

@testable import Transforms

@Suite("Statistics of renditions") struct RenditionStatisticsTests {
    @Test("what is made and what is restored is counted each by itself")
    func counts() {
        let statistics = RenditionStatistics()
        #expect(statistics.made == 0 && statistics.restored == 0)
        for _ in 0..<3 { statistics.noteRun() }
        statistics.noteRestored()
        #expect(statistics.made == 3 && statistics.restored == 1)
    }
}
