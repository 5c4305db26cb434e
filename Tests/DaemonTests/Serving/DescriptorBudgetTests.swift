import Testing

@testable import Daemon

/// How descriptors are shared out.
struct DescriptorBudgetTests {
    @Test(
        "clients and a single origin together never take all descriptors (H-132)",
        arguments: [256, 1_024, 4_096, 20_000, 524_288]
    )
    func budget(descriptors: Int) {
        let budget = DescriptorBudget(descriptors: descriptors)
        #expect(budget.clientConnections + budget.connectionsPerOrigin < descriptors)
        #expect(budget.connectionsPerOrigin >= 16)
        // Each look-up takes two sockets or three.
        #expect(budget.nameLookUps * 3 + 16 <= max(64, descriptors / 8))
    }

    @Test("the default of 256 connections to an origin needs 4,096 descriptors")
    func defaultLimit() {
        #expect(DescriptorBudget(descriptors: 4_096).connectionsPerOrigin == 256)
        #expect(DescriptorBudget(descriptors: 1_024).connectionsPerOrigin == 64)
    }
}
