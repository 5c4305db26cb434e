import Testing

@testable import Daemon

/// No loop misses a change of options.
@Suite struct ServingLoopsTests {
    @Test("a loop that begins goes by the newest options, or is among those that are brought them")
    func options() {
        var serving = ServingLoops<Int, String>(options: "old")
        #expect(serving.add(1) == "old")
        #expect(serving.replaceOptions("new") == [1])
        #expect(serving.add(2) == "new")
        #expect(serving.replaceOptions("newest") == [1, 2])
        #expect(serving.options == "newest")
    }
}
