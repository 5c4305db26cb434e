import TestDoubles
import Testing

@testable import SharedStorage

/// The tier that the loops of one node have in common.
@Suite struct SharedTierTests {
    /// What a loop's client refers to.
    private final class Kept: Sendable {}

    @Test("once the loops have ended the tier keeps nothing of theirs, and drops what comes for them")
    func end() {
        let tier = SharedTier(SharedTierOptions(), timekeeper: ManualTimekeeper()) { _ in false }
        var kept: Kept? = Kept()
        weak let observed = kept
        tier.add(isHere: { [kept] in kept != nil }, submit: { _ in })
        tier.follow { [kept] _ in withExtendedLifetime(kept) {} }
        kept = nil
        #expect(observed != nil && tier.onLoop { _ in })
        tier.end()
        #expect(observed == nil && !tier.onLoop { _ in })
    }
}
