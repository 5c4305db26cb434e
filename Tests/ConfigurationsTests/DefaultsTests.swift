import Configurations
import Testing

/// What a configuration is before anything changes it.
@Suite struct DefaultsTests {
    @Test("each number has its default")
    func numbers() {
        let configuration = Configuration()
        #expect(configuration.expirationTime == .seconds(30) && configuration.retryTime == .seconds(1))
        #expect(configuration.mode == .auto && configuration.variantLimit == 16)
        #expect(configuration.questionLimit == 100_000 && configuration.waiterLimit == 10_000)
        #expect(configuration.hitForMissTime == .seconds(10) && configuration.initialCredit == 262_144)
        #expect(configuration.fillRemainder == 1_048_576 && configuration.fillPercent == 25)
        #expect(configuration.fillTime == .seconds(300))
        #expect(configuration.requestEdits.isEmpty && !configuration.actsOnRequests)
    }

    @Test(
        "only two modes load",
        arguments: [(ServiceMode.online, true), (.auto, true), (.offline, false), (.replay, false)]
    )
    func modes(mode: ServiceMode, mayLoad: Bool) { #expect(mode.mayLoad == mayLoad) }
}
