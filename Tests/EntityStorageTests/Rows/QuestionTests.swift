import HTTPCore
import Stores
import TestSupport
import Testing

@testable import EntityStorage

@Suite("Records of questions")
struct QuestionTests {
    let directory = TemporaryDirectory()

    private func question(_ number: UInt8, _ path: String = "/a", content: [UInt8] = [1]) -> StoredRecord {
        var stored = record(path, content)
        stored.uri = uri(path).question(.post, [UInt8](repeating: number, count: 32))
        return stored
    }

    @Test("each is found by its whole digest, also after a restart; its target is another record")
    func found() async throws {
        var store: OpenStore? = try OpenStore(directory)
        await store?.commit(record("/a", [9]))
        for number in UInt8(0)..<20 { await store?.commit(question(number, content: [number])) }
        await store?.close()
        store = nil
        let again = try OpenStore(directory)
        for number in UInt8(0)..<20 {
            #expect(await again.lookUp(question(number).uri).map(\.content) == [[number]])
        }
        #expect(await again.lookUp(uri("/a")).map(\.content) == [[9]])
        #expect(await again.lookUp(question(20).uri).isEmpty)
        #expect(await again.lookUp(question(1, "/b").uri).isEmpty)
        let query = uri("/a").question(.query, [UInt8](repeating: 1, count: 32))
        #expect(await again.lookUp(query).isEmpty)
    }

    @Test("those of one target are removed together, hidden at once; what is stored later stays")
    func removed() async throws {
        let store = try OpenStore(directory)
        await store.commit(record("/a", [9]))
        for number in UInt8(0)..<200 { store.store.commit(question(number)) { _ in } }
        for number in UInt8(0)..<3 { await store.commit(question(number, "/b")) }
        #expect(store.store.mayHoldQuestions(to: uri("/a")))
        // More than a page of a walk.
        for number in 0..<600 {
            var other = question(0)
            let digest = [UInt8](repeating: 7, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
            other.uri = uri("/a").question(.query, digest)
            store.store.commit(other) { _ in }
        }
        let count: Int = await withCheckedContinuation { continuation in
            store.store.removeQuestions(to: uri("/a")) { continuation.resume(returning: $0) }
            store.store.commit(question(5, content: [5])) { _ in }
        }
        // One was stored again, perhaps before it was counted.
        #expect((799...800).contains(count))
        await store.flush()
        #expect(await store.lookUp(question(4).uri).isEmpty)
        #expect(await store.lookUp(question(5).uri).map(\.content) == [[5]])
        #expect(await store.lookUp(uri("/a")).map(\.content) == [[9]])
        for number in UInt8(0)..<3 { #expect(await store.lookUp(question(number, "/b").uri).count == 1) }
    }

    @Test("keys of one question lie together, between those of no other; the keys of a target's questions do, too")
    func keys() {
        let target = uri("/a")
        let questions = (UInt8(0)..<50).map { target.question(.post, [UInt8](repeating: $0, count: 32)) }
        let all = RecordKey.range(questionsTo: target, seed: 3)
        func isIn(_ key: [UInt8], _ range: (low: [UInt8], high: [UInt8])) -> Bool {
            !key.lexicographicallyPrecedes(range.low) && !range.high.lexicographicallyPrecedes(key)
        }
        for question in questions {
            let own = RecordKey.range(question, seed: 3)
            for selection in [[], [1], [2, 3]] as [[UInt8]] {
                let key = RecordKey(question, .shared, selection, seed: 3).bytes
                #expect(key.count == 16 && isIn(key, own) && isIn(key, all))
                for other in questions where other != question {
                    #expect(!isIn(key, RecordKey.range(other, seed: 3)))
                }
            }
        }
        #expect(!isIn(RecordKey(target, .shared, [], seed: 3).bytes, all))
    }
}
