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

    @Test(
        "an eighth is for other things than clients, but 64 at least; half of it for one origin, a quarter for look-ups",
        arguments: [
            (64, [16, 32, 16]), (256, [192, 32, 16]), (512, [448, 32, 16]), (1_024, [896, 64, 32]),
            (16_384, [14_336, 1_024, 512]), (524_288, [458_752, 32_768, 512]),
        ]
    )
    func shares(descriptors: Int, expected: [Int]) {
        let budget = DescriptorBudget(descriptors: descriptors)
        #expect([budget.clientConnections, budget.connectionsPerOrigin, budget.nameLookUps] == expected)
    }

    @Test("the default of 256 connections to an origin needs 4,096 descriptors")
    func defaultLimit() {
        #expect(DescriptorBudget(descriptors: 4_096).connectionsPerOrigin == 256)
        #expect(DescriptorBudget(descriptors: 1_024).connectionsPerOrigin == 64)
    }
}
