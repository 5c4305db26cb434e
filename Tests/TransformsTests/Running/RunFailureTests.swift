import Exchanges
import Testing

@testable import Transforms

@Suite("Failures of runs") struct RunFailureTests {
    @Test("readers learn the kind, the reason, and whether a part may have come")
    func exchangeFailures() {
        let cut = ExchangeFailure(.responseIncomplete, "cut")
        let step = TransformationFailure(stage: "model", transformer: "upper", failure: TransformFailure(.failed, "no"))
        let failures: [RunFailure] = [
            .transformation(step), .interrupted(cut), .overloaded, .outOfMemory, .cancelled,
        ]
        let memory =
            "all transformations together use as much memory as `limits.transform-memory` allows; try again, or "
            + "raise it"
        let expected = [
            ExchangeFailure(.internalError, "the transformer \"upper\" of stage \"model\" failed: no"),
            cut,
            ExchangeFailure(.connectionLimitReached, "too many responses wait to be transformed; try again"),
            ExchangeFailure(.connectionLimitReached, memory),
            ExchangeFailure(.cancelled, "no client waits for the transformed response any more"),
        ]
        #expect(failures.map(\.exchangeFailure) == expected)
    }
}
