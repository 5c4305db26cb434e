import Locking
import Testing

@testable import ResourceCore

/// What the values of a resource say about it.
@Suite("The state of a resource") struct ResourceStateTests {
    @Test("notices alone, and operations alone, keep a resource busy until they are done")
    func busy() {
        func drain<Element>(_ queue: inout SerialQueue<Element>) {
            #expect(queue.begin() && queue.next() != nil && queue.next() == nil)
        }
        var state = ResourceState(looksUp: false)
        #expect(!state.isBusy && state.isIdle && state.hasEnded)
        state.ongoing.notices.append([PendingNotice()])
        #expect(state.isBusy && !state.isIdle)
        drain(&state.ongoing.notices)
        state.ongoing.operations.append([.lookUp(number: 1)])
        #expect(state.isBusy && !state.isIdle)
        drain(&state.ongoing.operations)
        #expect(!state.isBusy && state.isIdle)
        state.trim()
        #expect(state.hasEnded)
    }
}
