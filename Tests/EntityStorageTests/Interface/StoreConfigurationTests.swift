import EntityStorage
import Testing

/// What holds for a store unless its configuration says otherwise.
@Suite struct StoreConfigurationTests {
    @Test("a store of 4 GiB has bodies up to 1 GiB, keeps private responses, and compresses text")
    func limits() {
        let usual = StoreConfiguration(directory: "/x")
        #expect(usual.directory == "/x" && !usual.isHandedOver && usual.keepsPrivate && usual.compression == .auto)
        #expect(usual.limit == 4 << 30 && usual.maximumObjectSize == 1 << 30 && usual.credentialFields.isEmpty)
        #expect(usual.pendingDeleteLimit == 100_000 && usual.queueBytes == 64 << 20 && usual.queueCount == 50_000)
    }

    @Test("a store waits a second for a lock, two for a disk, and five for a lock when it closes")
    func times() {
        let usual = StoreConfiguration(directory: "/x")
        #expect(usual.directoryCheckInterval == .seconds(5) && usual.savingsInterval == .seconds(3))
        #expect(usual.firstRetryDelay == .seconds(2) && usual.lockPatience == .seconds(1))
        #expect(usual.lockRetryDelay == .milliseconds(100) && usual.closingPatience == .seconds(5))
    }
}
