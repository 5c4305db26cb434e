import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Loads that turn out not to be needed.
@Suite("Needless loads")
struct NeedlessLoadTests {
    private let world = ProgramWorld()

    @Test("a request that is a load already is no second one, and leaves nothing behind (S-101)")
    func twice() {
        let resource = world.resource()
        let request = resource.load()
        for _ in 0..<3 { #expect(resource.load(using: request) === request) }
        #expect(resource.loadRequests.count == 1)
        request.cancel()
        world.runUntilIdle()
        #expect(!resource.isLoading && resource.state.withLock { $0.activity?.value.program == nil })
    }
}
