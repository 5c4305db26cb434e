import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@Suite("Bodies that the store does not take")
struct RefusedBodyTests {
    @Test(
        "where responses of one user are not at rest, only shared content goes to a file (H-158)",
        arguments: [([], 1), ([("Authorization", "alice")], 0)] as [([(String, String)], Int)]
    )
    func personal(lines: [(String, String)], files: Int) {
        let store = MemoryVariantStore(keepsPrivate: false)
        let world = World(store: store)
        world.get("/a", lines)
        world.last.head(200, [("Cache-Control", "max-age=60")])
        world.runUntilIdle()
        for _ in 0..<100 {
            world.last.content([UInt8](repeating: 7, count: 1024))
            world.runUntilIdle()
        }
        #expect(store.writers.count == files)
    }

    @Test("content of less than 1 MiB is kept in memory when the store refuses its file (H-130)")
    func keptInMemory() {
        // Given content that goes to a file
        let store = MemoryVariantStore()
        let world = World(store: store)
        let client = world.get()
        world.last.head(200, [("Cache-Control", "max-age=60")])
        world.runUntilIdle()
        for _ in 0..<100 {
            world.last.content([UInt8](repeating: 7, count: 1024))
            world.runUntilIdle()
        }
        // When the disk refuses it
        store.writers[0].flush(refuse: true)
        world.last.content(Array("end".utf8))
        world.last.end()
        world.runUntilIdle()
        // Then memory has it, and serves it
        #expect(client.ending == .complete)
        guard case .bytes(let bytes)? = world.get().stored?.body else {
            Issue.record("it is not kept")
            return
        }
        #expect(bytes.count == 100 * 1024 + 3)
        #expect(world.provider.count == 1)
    }

    @Test("a refresh that nobody waits for ends when the store refuses the rest of what it brings (C-7.1)")
    func refresh() {
        // Given a response that is served stale, and a refresh in the background
        let store = MemoryVariantStore()
        let world = World(store: store)
        world.fill("/a", [("Cache-Control", "max-age=60, stale-while-revalidate=600"), ("ETag", "\"v1\"")])
        world.timekeeper.advance(by: .seconds(70))
        #expect(world.get().isHit && world.provider.count == 2)
        let refresh = world.last
        refresh.head(200, [("Cache-Control", "max-age=60")])
        func send(kibibytes: Int) {
            for _ in 0..<kibibytes { refresh.content([UInt8](repeating: 7, count: 1024)) }
            world.runUntilIdle()
        }
        send(kibibytes: 500)
        store.writers[0].flush()
        send(kibibytes: 300)
        #expect(!refresh.isCancelled)
        // When the disk refuses the rest, then it is of no use, and the next one may begin
        store.writers[0].flush(refuse: true)
        world.runUntilIdle()
        #expect(refresh.isCancelled && !world.resource().isLoading)
        #expect(world.get().isHit && world.provider.count == 3)
    }
}
