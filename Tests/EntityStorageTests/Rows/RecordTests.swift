import Dispatch
import EntityStorage
import HTTPCore
import Locking
import Stores
import TestSupport
import Testing
import Transforms

@Suite("Records of a store")
struct RecordTests {
    let directory = TemporaryDirectory()

    @Test("a record comes back as it was stored: spelling, order and repeated lines of fields, times, reason, body")
    func roundTrip() async throws {
        let store = try OpenStore(directory)
        var stored = record(
            "/a?b=c",
            bytes(1000),
            selection: [1, 0, 2],
            fields: [
                ("content-TYPE", "text/html"), ("X-A", ""), ("Vary", "Accept"), ("Via", "1.1 b"), ("VIA", "1.1 a"),
            ],
            requestFields: [("Accept", "text/*")]
        )
        stored.status = 404
        stored.reason = [0xE9, 0x20]
        stored.isInvalidated = true
        #expect(await store.commit(stored))

        let found = try #require(await store.lookUp(stored.uri).first)
        #expect(found.uri == stored.uri && found.uri.port == 8080 && found.uri.path == Array("/a?b=c".utf8))
        #expect(found.partition == .shared && found.selection == [1, 0, 2])
        #expect(found.status == 404 && found.reason == [0xE9, 0x20] && found.isInvalidated)
        #expect(found.fields == stored.fields && found.requestFields == stored.requestFields)
        #expect(
            found.fields.lines.map { found.fields.name(of: $0) }
                == stored.fields.lines.map { stored.fields.name(of: $0) }
        )
        #expect(found.requestTime == stored.requestTime && found.responseTime == stored.responseTime)
        #expect(found.content == bytes(1000))
    }

    @Test(
        "content of every size comes back whole, in the table or in a file",
        arguments: [0, 1, 4095, 65_536, 65_537, 1_048_576, 1_048_577, 3_000_000]
    )
    func sizes(count: Int) async throws {
        let store = try OpenStore(directory)
        let content = bytes(count)
        #expect(await store.commit(record("/", body: .bytes(content))))
        let found = try #require(await store.lookUp(uri("/")).first)
        #expect(found.body.count == Int64(count))
        #expect(found.content == content)
        if case .file(let file) = found.body {
            #expect(count > 65_536)
            #expect(await file.isWhole())
        }
    }

    @Test("a record keeps what redacted its content, also when it is freshened by one that does not know of it")
    func rendition() async throws {
        let store = try OpenStore(directory)
        var stored = record("/", bytes(100))
        stored.rendition = Array("0123456789abcdef".utf8)
        #expect(await store.commit(stored))
        #expect(try #require(await store.lookUp(stored.uri).first).rendition == stored.rendition)
        stored.rendition = []
        stored.fields.append(name: "X-New", value: "1")
        #expect(await store.freshen(stored))
        let found = try #require(await store.lookUp(stored.uri).first)
        #expect(found.rendition == Array("0123456789abcdef".utf8))
        #expect(found.fields == stored.fields && found.content == bytes(100))
    }

    @Test("a body file can be read by workers, while it is written and afterwards")
    func reading() async throws {
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        let writer = try #require(store.store.makeBody(expected: 100_000))
        _ = await writer.flushed(ByteChunk(bytes(100_000)))
        #expect(writer.read(50, at: 99_950) == Array(bytes(100_000).suffix(50)))
        let file = try #require(await writer.finished)
        #expect(file.read(10, at: 5) == Array(bytes(100_000)[5..<15]))
    }

    @Test("a writer that is given up after it has finished leaves its body to the record")
    func discardAfterFinish() async throws {
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        let writer = try #require(store.store.makeBody(expected: 100_000))
        _ = await writer.flushed(ByteChunk(bytes(100_000)))
        let file = try #require(await writer.finished)
        writer.discard()
        #expect(await store.commit(record("/", body: .file(file))))
        #expect(try #require(await store.lookUp(uri("/")).first).content == bytes(100_000))
    }

    @Test("variants and partitions of a URI are separate records; the same one is replaced")
    func variants() async throws {
        let store = try OpenStore(directory)
        let key = [UInt8](repeating: 7, count: 32)
        await store.commit(record("/", [1]))
        await store.commit(record("/", [2], selection: [1]))
        await store.commit(record("/", [3], partition: .credential(key)))
        await store.commit(record("/", [4], selection: [1]))
        await store.commit(record("/other", [5]))
        let found = await store.lookUp(uri("/"))
        #expect(found.map(\.content).sorted { $0[0] < $1[0] } == [[1], [3], [4]])
        #expect(found.first { $0.content == [3] }?.partition == .credential(key))
        #expect(store.store.statistics().entries == 4)
    }

    @Test("a look-up sees what was queued before it, though nothing is committed yet")
    func readYourWrites() async throws {
        let store = try OpenStore(directory)
        for round in 0..<50 {
            store.store.commit(record("/\(round % 3)", [UInt8(round)])) { _ in }
            #expect(await store.lookUp(uri("/\(round % 3)")).map(\.content) == [[UInt8(round)]])
            if round % 5 == 0 {
                store.store.remove(uri("/\(round % 3)"), partition: .shared, selection: [])
                #expect(await store.lookUp(uri("/\(round % 3)")).isEmpty)
            }
            if round % 7 == 0 {
                store.store.removeAll(where: { _ in true }, { _ in })
                #expect(await store.lookUp(uri("/\(round % 3)")).isEmpty)
            }
        }
    }

    @Test("changes of one URI take effect in the order of the calls")
    func order() async throws {
        let store = try OpenStore(directory)
        let target = uri("/")
        for number in 0..<250 {
            store.store.commit(record("/", [UInt8(number)])) { _ in }
            store.store.invalidate(target) { _ in }
            store.store.remove(target) { _ in }
            store.store.commit(record("/", [UInt8(number), 1])) { _ in }
        }
        store.store.invalidate(target) { _ in }
        let found = await store.lookUp(target)
        #expect(found.map(\.content) == [[249, 1]])
        #expect(found.first?.isInvalidated == true)
    }

    @Test("freshening replaces fields, times and mark, and nothing else")
    func freshening() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/", bytes(2000)))
        await store.invalidate(uri("/"))
        var newer = record("/", [], fields: [("ETag", "\"2\"")])
        newer.responseTime = HTTPDate(seconds: 1_800_000_000)
        newer.status = 304
        newer.body = .bytes([])
        #expect(await store.freshen(newer))
        let found = try #require(await store.lookUp(uri("/")).first)
        #expect(found.fields.text(of: .etag) == "\"2\"")
        #expect(found.responseTime == HTTPDate(seconds: 1_800_000_000))
        #expect(!found.isInvalidated && found.status == 200)
        #expect(found.content == bytes(2000))

        await store.freshen(record("/absent"))
        #expect(await store.lookUp(uri("/absent")).isEmpty)
    }

    @Test("an invalidated record is marked in every variant, also after a restart, and stays whole")
    func invalidation() async throws {
        var store = try OpenStore(directory)
        await store.commit(record("/", [1]))
        await store.commit(record("/", [2], selection: [1]))
        await store.commit(record("/b", [3]))
        #expect(await store.invalidate(uri("/")))
        await store.invalidate(uri("/"))
        await store.close()
        store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/")).map(\.isInvalidated) == [true, true])
        #expect(await store.lookUp(uri("/b")).map(\.isInvalidated) == [false])
        #expect(store.store.statistics().damaged == 0)
    }

    @Test("removal counts the records, and tells when that is committed")
    func removal() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/a", [1]))
        await store.commit(record("/a", bytes(100_000), selection: [1]))
        await store.commit(record("/b", [3]))
        #expect(await store.remove(uri("/a")) == 2)
        #expect(await store.remove(uri("/a")) == 0)
        #expect(await store.lookUp(uri("/a")).isEmpty)
        #expect(await store.lookUp(uri("/b")).count == 1)
        #expect(filesBelow(directory.path + "/bodies").isEmpty)
    }

    @Test("removal by a condition takes what it holds for, and only that")
    func removalByCondition() async throws {
        let store = try OpenStore(directory)
        for number in 0..<1200 { store.store.commit(record("/\(number % 2 == 0 ? "x" : "y")/\(number)")) { _ in } }
        let removed = await store.removeAll { $0.path.starts(with: Array("/x/".utf8)) }
        #expect(removed == 600)
        #expect(await store.lookUp(uri("/x/0")).isEmpty)
        #expect(await store.lookUp(uri("/y/1")).count == 1)
        #expect(store.store.statistics().entries == 600)
    }

    @Test("what a removal by a condition covers is not found either by a look-up during which the removal ends")
    func removalEndsMeanwhile() async throws {
        let store = try OpenStore(directory)
        let (asked, stop) = (uri("/asked"), uri("/stop"))
        store.store.commit(record("/stop")) { _ in }
        for selection in [[], [1]] as [[UInt8]] { store.store.commit(record("/asked", selection: selection)) { _ in } }
        await store.flush()
        // The walk stands before it comes to the rows that are asked for; the look-up when it has read them, at the
        // first: the removal has ended when it comes to the second.
        let (walks, walkMayGoOn, looksUp, lookUpMayGoOn, ended) = (Gate(), Gate(), Gate(), Gate(), Gate())
        let stopped = Lock<Set<TargetURI>>([])
        store.store.removeAll { uri in
            guard stopped.withLock({ $0.insert(uri).inserted }) else { return false }
            if uri == stop {
                walks.open()
                walkMayGoOn.wait()
            } else {
                looksUp.open()
                lookUpMayGoOn.wait()
            }
            return false
        } _: { _ in
        }
        walks.wait()
        store.store.removeAll {
            $0 == asked
        } _: { _ in
            ended.open()
        }
        let found = Lock<[StoredRecord]?>(nil)
        let isFound = Gate()
        store.store.lookUp(asked) { records in
            found.withLock { $0 = records }
            isFound.open()
        }
        looksUp.wait()
        walkMayGoOn.open()
        ended.wait()
        lookUpMayGoOn.open()
        isFound.wait()
        #expect(found.withLock { $0?.isEmpty } == true)
    }

    @Test("while a removal by a condition goes on, nothing waits for it, and what it covers is not found")
    func removalUnderWay() async throws {
        let store = try OpenStore(directory)
        for number in 0..<1600 { store.store.commit(record("/\(number % 2 == 0 ? "x" : "y")/\(number)")) { _ in } }
        await store.flush()
        let (reached, released, ended) = (Gate(), Gate(), Gate())
        let mayStop = Lock(true)
        let events = Lock<[String]>([])
        let stop = uri("/y/701")
        store.store.removeAll { uri in
            if uri == stop,
                mayStop.withLock({ mayStop in
                    defer { mayStop = false }
                    return mayStop
                })
            {
                reached.open()
                released.wait()
            }
            return uri.path.starts(with: Array("/x/".utf8))
        } _: { count in
            events.withLock { $0.append("removed \(count)") }
            ended.open()
        }
        reached.wait()
        // The walk stands in its second page.
        for number in stride(from: 0, to: 1600, by: 400) {
            #expect(await store.lookUp(uri("/x/\(number)")).isEmpty)
            #expect(await store.lookUp(uri("/y/\(number + 1)")).count == 1)
        }
        let listed = await store.listAll(limit: 3)
        #expect(listed.count == 800 && listed.allSatisfy { $0.uri.path.starts(with: Array("/y/".utf8)) })
        store.store.commit(record("/x/1000", [7])) { _ in events.withLock { $0.append("stored") } }
        released.open()
        ended.wait()
        // One has made way for its successor.
        #expect(events.withLock { $0 } == ["stored", "removed 799"])
        #expect(await store.lookUp(uri("/x/1000")).map(\.content) == [[7]])
        await store.flush()
        #expect(store.store.statistics().entries == 801)
    }

    @Test("a page of a listing looks at no more rows than were asked for, also where all are about to go")
    func listingOfRemoved() async throws {
        let store = try OpenStore(directory)
        for number in 0..<50 { store.store.commit(record("/\(number)")) { _ in } }
        await store.flush()
        let (reached, released, ended) = (Gate(), Gate(), Gate())
        let mayStop = Lock(true)
        store.store.removeAll { _ in
            if mayStop.withLock({ mayStop in
                defer { mayStop = false }
                return mayStop
            }) {
                reached.open()
                released.wait()
            }
            return true
        } _: { _ in
            ended.open()
        }
        reached.wait()
        let page = await store.list(after: 0, limit: 10)
        #expect(page.entries.isEmpty && page.next != nil)
        #expect(await store.listAll(limit: 10).isEmpty)
        released.open()
        ended.wait()
    }

    @Test("removals asked for while one is under way go over the rows together")
    func removalsTogether() async throws {
        let store = try OpenStore(directory)
        for number in 0..<1200 { store.store.commit(record("/\(number)")) { _ in } }
        await store.flush()
        let (reached, released) = (Gate(), Gate())
        let asked = Lock<[Int]>([])
        let counts = Lock<[Int]>([])
        let stop = uri("/700")
        store.store.removeAll { uri in
            if uri == stop {
                reached.open()
                released.wait()
            }
            return false
        } _: { _ in
        }
        reached.wait()
        for number in 0..<2 {
            store.store.removeAll { uri in
                asked.withLock { if $0.last != number { $0.append(number) } }
                return uri.path.last == UInt8(0x30 + number)
            } _: { count in
                counts.withLock { $0.append(count) }
            }
        }
        released.open()
        await store.flush()
        // Page by page, not one after the other.
        #expect(asked.withLock { $0 } == [0, 1, 0, 1, 0, 1])
        #expect(counts.withLock { $0 } == [120, 120])
    }

    @Test("listings go through all URIs once, in pages")
    func listing() async throws {
        let store = try OpenStore(directory)
        for number in 0..<25 { store.store.commit(record("/\(number)", bytes(number))) { _ in } }
        for variant in 0..<12 { store.store.commit(record("/v", bytes(7), selection: [UInt8(variant)])) { _ in } }
        store.store.commit(record("/p", partition: .credential([1]))) { _ in }
        let seen = await store.listAll(limit: 10)
        #expect(Set(seen.map(\.uri)) == Set((0..<25).map { uri("/\($0)") } + [uri("/v"), uri("/p")]))
        #expect(seen.count == 27)
        let counts = Dictionary(uniqueKeysWithValues: seen.map { ($0.uri, $0.count) })
        for number in 0..<25 { #expect(counts[uri("/\(number)")] == Int64(number)) }
        #expect(seen.filter { $0.partition != .shared }.map(\.uri) == [uri("/p")])
    }

    @Test("everything that was told durable is there after a restart")
    func restart() async throws {
        var store = try OpenStore(directory)
        for number in 0..<300 { await store.commit(record("/\(number)", bytes(number * 331, seed: UInt64(number)))) }
        await store.close()
        store = try OpenStore(directory)
        for number in 0..<300 {
            let found = await store.lookUp(uri("/\(number)"))
            #expect(found.map(\.content) == [bytes(number * 331, seed: UInt64(number))])
        }
        #expect(store.store.statistics().entries == 300)
    }

    @Test(
        "a record that bears a credential is never at rest, and what it replaces is gone (H-158)",
        arguments: [
            ([("Set-Cookie", "sid=planted")], []), ([], [("Cookie", "planted")]),
            ([], [("Authorization", "planted")]), ([], [("x-api-key", "planted")]),
        ] as [([(String, String)], [(String, String)])]
    )
    func credentials(fields: [(String, String)], requestFields: [(String, String)]) async throws {
        let store = try OpenStore(
            StoreConfiguration(directory: directory.path, credentialFields: [Array("X-Api-Key".utf8)])
        )
        await store.commit(record("/"))
        #expect(!(await store.commit(record("/", fields: fields, requestFields: requestFields))))
        #expect(await store.lookUp(uri("/")).isEmpty)
        await store.close()
        for file in filesBelow(directory.path) {
            #expect(!String(decoding: contents(file), as: UTF8.self).contains("planted"))
        }
    }
}

/// Opened once by one thread, waited for by another.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
