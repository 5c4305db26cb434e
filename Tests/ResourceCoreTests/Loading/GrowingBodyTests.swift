import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("Growing bodies")
struct GrowingBodyTests {
    private static let kibibyte = [UInt8](repeating: 7, count: 1024)

    private func begin(
        _ store: MemoryVariantStore?,
        _ lines: [(String, String)] = [("Cache-Control", "max-age=60")],
        length: Int64? = nil,
        readers: Int = 1,
        isReading: Bool = true
    ) -> (World, [Client]) {
        let world = World(store: store)
        let clients = (0..<readers).map { _ in world.get(isReading: isReading) }
        world.last.head(200, lines, length: length)
        world.runUntilIdle()
        return (world, clients)
    }

    private func send(_ world: World, kibibytes: Int) {
        for _ in 0..<kibibytes {
            world.last.content(Self.kibibyte)
            world.runUntilIdle()
        }
    }

    @Test("content up to 64 KiB stays in memory as one array of exactly its size")
    func small() {
        let (world, _) = begin(MemoryVariantStore())
        send(world, kibibytes: 64)
        world.last.end()
        world.runUntilIdle()
        guard case .bytes(let bytes)? = world.get().stored?.body else { return #expect(Bool(false)) }
        #expect(bytes.count == 65_536 && bytes.capacity < 65_536 + 64)
        #expect(world.store?.writers.isEmpty == true)
    }

    @Test("larger content goes to a file of the store's; late readers begin there at byte 0")
    func spill() {
        let store = MemoryVariantStore()
        let (world, clients) = begin(store)
        send(world, kibibytes: 600)
        store.writers[0].flush()
        send(world, kibibytes: 1)
        let late = world.get()
        #expect(late.byteCount == 601 * 1024)
        store.writers[0].flush()
        world.last.end()
        world.runUntilIdle()
        #expect(clients[0].ending == .complete && late.ending == .complete)
        guard case .file(let file)? = world.get().stored?.body else { return #expect(Bool(false)) }
        #expect(file.count == 601 * 1024)
        #expect(world.store?.records(of: World.uri("/a")).count == 1)
    }

    @Test("a body is committed only when all of it is flushed (S-243)")
    func flushedBeforeCommit() {
        let store = MemoryVariantStore()
        let (world, clients) = begin(store)
        send(world, kibibytes: 100)
        world.last.end()
        world.runUntilIdle()
        #expect(clients[0].ending == .complete)
        #expect(store.records(of: World.uri("/a")).isEmpty)
        // Who comes meanwhile follows the finished body.
        let late = world.get()
        #expect(late.byteCount == 100 * 1024)
        // That all have left by now gives nothing up.
        for client in clients + [late] { client.leave() }
        #expect(!world.last.isCancelled)
        store.writers[0].flush()
        world.runUntilIdle()
        #expect(store.records(of: World.uri("/a")).count == 1)
        #expect(world.provider.count == 1)
    }

    @Test("a complete body of unknown length is stored though its reader has left before it was flushed")
    func readerLeavesEarly() {
        let store = MemoryVariantStore()
        let (world, clients) = begin(store)
        send(world, kibibytes: 1200)
        world.last.end()
        world.runUntilIdle()
        clients[0].leave()
        store.writers[0].flush()
        world.runUntilIdle()
        #expect(store.records(of: World.uri("/a")).count == 1)
    }

    @Test("when the store refuses the rest, readers get all bytes and nothing is stored (H-130)")
    func refused() {
        let store = MemoryVariantStore()
        let (world, clients) = begin(store, readers: 2)
        send(world, kibibytes: 500)
        store.writers[0].flush()
        send(world, kibibytes: 300)
        store.writers[0].flush(refuse: true)
        send(world, kibibytes: 800)
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.byteCount == 1600 * 1024 && $0.ending == .complete })
        #expect(store.records(of: World.uri("/a")).isEmpty)
        #expect(!world.get().isHit)
    }

    @Test("the origin is granted no more than half a MiB beyond what is flushed (H-128)")
    func creditWhileSpilling() {
        let store = MemoryVariantStore()
        let (world, _) = begin(store)
        var sent = 0
        while world.last.credit >= 1024, sent < 10_000 {
            send(world, kibibytes: 1)
            sent += 1
        }
        #expect(sent <= 1024)
        let before = world.last.credit
        store.writers[0].flush()
        #expect(world.last.credit > before + 256 * 1024)
    }

    @Test("what is not stored runs at the pace of its reader (H-128)")
    func creditWithoutStore() {
        let (world, clients) = begin(nil, [("Cache-Control", "no-store")], isReading: false)
        var sent = 0
        while world.last.credit >= 1024, sent < 10_000 {
            send(world, kibibytes: 1)
            sent += 1
        }
        #expect(sent <= 512)
        guard let body = clients[0].following?.body else { return #expect(Bool(false)) }
        clients[0].beginReading(body)
        #expect(world.last.credit >= 192 * 1024)
        #expect(clients[0].byteCount == sent * 1024)
    }

    @Test("without a store content up to 1 MiB is kept in memory, more is relayed only")
    func memoryOnly() {
        for (kibibytes, isKept) in [(1024, true), (1025, false)] {
            let (world, clients) = begin(nil)
            send(world, kibibytes: kibibytes)
            world.last.end()
            world.runUntilIdle()
            #expect(clients[0].byteCount == kibibytes * 1024)
            #expect(world.get().isHit == isKept)
        }
    }

    @Test("content that comes byte by byte arrives whole", arguments: [1, 2, 3, 1023, 1024, 1025])
    func tinyChunks(size: Int) {
        let (world, clients) = begin(nil, readers: 2)
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        var index = 0
        while index < bytes.count {
            world.last.content(Array(bytes[index..<min(bytes.count, index + size)]))
            index += size
            if index % 7 == 0 { world.runUntilIdle() }
        }
        world.last.end()
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.byteCount == 5000 })
        guard case .bytes(let stored)? = world.get().stored?.body else { return #expect(Bool(false)) }
        #expect(stored == bytes)
    }

    @Test("the file of a body that is never stored is discarded")
    func discarded() {
        let store = MemoryVariantStore()
        do {
            let (world, clients) = begin(store)
            send(world, kibibytes: 100)
            world.last.fail(.responseIncomplete)
            world.runUntilIdle()
            #expect(clients[0].ending == .failed)
        }
        #expect(store.writers[0].isDiscarded)
    }

    @Test("content whose file is refused at once does not gather in memory without bound (H-130)")
    func refusedAtOnce() {
        let store = MemoryVariantStore()
        let (world, clients) = begin(store, isReading: false)
        send(world, kibibytes: 65)
        store.writers[0].flush(refuse: true)
        var sent = 65
        while world.last.credit >= 1024, sent < 10_000 {
            send(world, kibibytes: 1)
            sent += 1
        }
        #expect(sent <= 1536)
        #expect(clients[0].following != nil)
    }

    @Test("content nobody reads comes to its end for a load asked for by the program, kept or not")
    func unread() {
        let world = World()
        let request = world.resource().load()
        world.runUntilIdle()
        world.last.head(200, [("Cache-Control", "max-age=60")])
        var sent = 0
        while world.last.credit >= 1024, sent < 4096 {
            send(world, kibibytes: 1)
            sent += 1
        }
        #expect(sent == 4096)
        world.last.end()
        world.runUntilIdle()
        #expect(request.result?.response.error?.cause is RequestError.Cause.ContentTooLarge)
    }

    @Test("an abandoned load that would be finished is given up after the time for that (H-150)")
    func abandonedForLong() {
        let (world, clients) = begin(MemoryVariantStore())
        send(world, kibibytes: 1)
        clients[0].leave()
        world.timekeeper.advance(by: .seconds(299))
        send(world, kibibytes: 1)
        #expect(!world.last.isCancelled)
        world.timekeeper.advance(by: .seconds(1))
        send(world, kibibytes: 1)
        #expect(world.last.isCancelled)
        #expect(!world.resource().isLoading)
    }
}
