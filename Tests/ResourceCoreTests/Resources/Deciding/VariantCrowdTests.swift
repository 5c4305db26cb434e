import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import Testing

@testable import ResourceCore

/// When variants are so many that hits are chance.
@Suite("A crowd of variants") struct VariantCrowdTests {
    private func bench(_ limit: Int = 16) -> Workbench {
        var configuration = Configuration()
        configuration.variantLimit = limit
        return Workbench(configuration)
    }

    private static let varied = [("Cache-Control", "max-age=60"), ("Vary", "Accept, User-Agent")]

    /// The crowd that a request without fields sees of the responses to these requests.
    private func crowd(
        _ requests: [[(String, String)]],
        in bench: Workbench,
        partition: Partition = .shared
    ) -> VariantCrowd? {
        var decider = Decider(state: ResourceState(looksUp: false), context: bench.context)
        for (number, request) in requests.enumerated() {
            let stored = bench.stored(UInt64(number), Self.varied, to: request) { $0.partition = partition }
            _ = decider.state.variants.insert(stored, limit: 100)
        }
        return decider.crowd(seenBy: bench.request())
    }

    private func agents(_ count: Int) -> [[(String, String)]] { (0..<count).map { [("User-Agent", "agent \($0)")] } }

    @Test(
        "half of the limit is a crowd, but no more than eight and no fewer than two",
        arguments: [
            (16, 8, true), (16, 7, false), (100, 8, true), (100, 7, false), (6, 3, true), (6, 2, false), (7, 3, true),
            (3, 2, true), (3, 1, false), (1, 1, false), (1, 2, true),
        ]
    )
    func size(limit: Int, count: Int, isCrowd: Bool) {
        let crowd = crowd(agents(count), in: bench(limit))
        #expect((crowd != nil) == isCrowd && crowd?.count == (isCrowd ? count : nil))
    }

    @Test("the fields that differ are told, the one with most values first, then by name; a missing value is one")
    func fields() {
        let requests = (0..<8).map { number -> [(String, String)] in
            [("User-Agent", "agent \(number / 2)")] + (number % 2 == 0 ? [("Accept", "a/b")] : [])
        }
        let crowd = crowd(requests, in: bench())
        #expect(
            crowd?.fields.map { $0.name } == ["user-agent", "accept"] && crowd?.fields.map { $0.values } == [4, 2]
        )
        let even = self.crowd(
            [[("Accept", "a/b"), ("User-Agent", "x")], [("Accept", "c/d"), ("User-Agent", "y")]],
            in: bench(4)
        )
        #expect(even?.fields.map { $0.name } == ["accept", "user-agent"])
        #expect(self.crowd(agents(8), in: bench())?.fields.map { $0.name } == ["user-agent"])
    }

    @Test("what the request may not see, or does not vary, makes no crowd")
    func notSeen() {
        #expect(crowd(agents(9), in: bench(), partition: .credential([1])) == nil)
        let made = bench()
        var decider = Decider(state: ResourceState(looksUp: false), context: made.context)
        for number in 0..<9 as Range<UInt8> {
            let stored = made.stored(UInt64(number)) { $0.selection = [number] }
            _ = decider.state.variants.insert(stored, limit: 100)
        }
        #expect(decider.crowd(seenBy: made.request()) == nil)
    }
}
