import EntityStorage
import HTTPCore
import Locking
import TestSupport
import Testing

@Suite("What was saved since the store was made")
struct SavingsTests {
    private let home = TemporaryDirectory()

    private func saved(_ name: String) -> Int64 {
        ForeignConnection(home.path + "/cache.db").number("SELECT value FROM meta WHERE name = 'saved_\(name)'")
    }

    @Test("sums go on over restarts, and are on disk before the store is closed")
    func restarts() async throws {
        for round in 1...3 {
            let store = try OpenStore(home)
            #expect(await store.openError == nil)
            let before = Int64(round - 1)
            #expect(store.store.savings.requests == before * 10)
            store.store.keepSavings { Savings(requests: 10, bytes: 1000) }
            #expect(store.store.savings.requests == before * 10 + 10)
            await answer { waiter in store.store.writeSavings { waiter(()) } }
            // A kill from here on loses nothing.
            #expect(saved("requests") == before * 10 + 10 && saved("bytes") == before * 1000 + 1000)
            #expect(saved("since") > 1_700_000_000)
            let since = store.store.savings.since
            await answer { waiter in store.store.writeSavings { waiter(()) } }
            #expect(saved("requests") == before * 10 + 10)
            await store.close()
            #expect(since?.seconds == saved("since"))
        }
    }

    @Test("the writer saves them by itself, and what is added last when it closes")
    func byItself() async throws {
        var configuration = StoreConfiguration(directory: home.path, limit: 64 << 20)
        configuration.savingsInterval = .milliseconds(5)
        let store = try OpenStore(configuration)
        #expect(await store.openError == nil)
        let calls = Lock(0)
        await answer { waiter in
            store.store.keepSavings {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                // The second call comes after the transaction of the first.
                if call == 2 { waiter(()) }
                return Savings(requests: 7, bytes: 70)
            }
        }
        #expect(saved("requests") == 7)
        store.store.keepSavings { Savings(requests: 8, bytes: 80) }
        await store.close()
        #expect(saved("requests") == 8 && saved("bytes") == 80)
    }

    @Test("nothing is written for a cache that saved nothing")
    func nothing() async throws {
        let store = try OpenStore(home)
        await answer { waiter in store.store.writeSavings { waiter(()) } }
        #expect(store.store.savings == Savings())
        await store.close()
        #expect(
            ForeignConnection(home.path + "/cache.db").number("SELECT count(*) FROM meta WHERE name LIKE 'saved%'") == 0
        )
    }
}
