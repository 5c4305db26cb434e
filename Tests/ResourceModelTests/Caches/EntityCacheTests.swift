import Configurations
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel

/// Looking up and writing what caches keep, without the resource's state.
@Suite("Entity caches") struct EntityCacheTests {
    private let world = World()
    private let context = ManualContext()

    private static func entity(_ text: String, _ seconds: Double = 1000) -> Entity<any Sendable> {
        Entity(content: text, contentType: "text/plain", timestamp: Timestamp(seconds: seconds)).erased
    }

    private func values(_ change: (inout Pipeline) -> Void) -> Configuration {
        var configuration = Configuration()
        for (stage, tag) in [(PipelineStageKey.decoding, "dec"), (.parsing, "par"), (.model, "mod"), (.cleanup, "cle")]
        {
            configuration.pipeline[stage].add(FullTransformer.suffix(tag))
        }
        change(&configuration.pipeline)
        return configuration
    }

    /// What a look-up finds; nil outside: it has not ended.
    private func lookUp(_ values: Configuration) -> Entity<any Sendable>?? {
        let found = LockedBox<Entity<any Sendable>??>(nil)
        CacheLookUp(world.resource(), values).run { entity in found.change { $0 = .some(entity) } }
        context.run()
        return found.value
    }

    @Test("of several caches the last stage's is taken, and nothing is written (S-188, S-244)")
    func lastFirst() {
        let model = RecordingCache(on: context)
        let cleanup = RecordingCache(on: context)
        model.entities = ["/a": Self.entity("m")]
        cleanup.entities = ["/a": Self.entity("c")]
        let values = values {
            $0[.model].cacheUsing(model)
            $0[.cleanup].cacheUsing(cleanup)
        }
        let found = lookUp(values)
        #expect(found??.text == "c" && found??.timestamp == Timestamp(seconds: 1000))
        #expect(cleanup.calls == ["read /a"] && model.calls.isEmpty)
    }

    @Test("a hit at an early stage runs through the later ones; their caches are not written (S-188, S-244)")
    func resumed() {
        let raw = RecordingCache(on: context)
        let model = RecordingCache(on: context)
        raw.entities = ["/a": Self.entity("-")]
        let values = values {
            $0[.rawData].cacheUsing(raw)
            $0[.model].cacheUsing(model)
        }
        #expect(lookUp(values)??.text == "-decparmodcle")
        #expect(model.calls == ["read /a"] && raw.calls == ["read /a"])
    }

    @Test("a hit that a later stage rejects is ignored, and the search goes on to earlier stages (S-188)")
    func rejected() {
        let raw = RecordingCache(on: context)
        let model = RecordingCache(on: context)
        raw.entities = ["/a": Self.entity("good")]
        model.entities = ["/a": Self.entity("bad")]
        let values = values {
            $0[.rawData].cacheUsing(raw)
            $0[.model].cacheUsing(model)
            $0[.cleanup].add(FullTransformer { $0.text.hasPrefix("bad") ? .failure(RequestError()) : $0 })
        }
        #expect(lookUp(values)??.text == "gooddecparmodcle")
    }

    @Test("nothing is found in empty caches, or where there is none (S-188)")
    func misses() {
        let cache = RecordingCache(on: context)
        let none: Entity<any Sendable>?? = .some(nil)
        #expect(lookUp(values { $0[.model].cacheUsing(cache) }).map { $0 == nil } == none.map { $0 == nil })
        #expect(lookUp(Configuration()).map { $0 == nil } == true)
        #expect(CacheLookUp(world.resource(), Configuration()).isEmpty)
    }

    @Test("a cache without a key for the resource is asked nothing (S-185)")
    func noKey() {
        let cache = RecordingCache(nil, on: context)
        let values = values { $0[.model].cacheUsing(cache) }
        #expect(CacheLookUp(world.resource(), values).isEmpty)
        write("x", values)
        CacheWrites.touch(Timestamp(seconds: 2), in: values.pipeline, for: world.resource())
        CacheWrites.remove(from: values.pipeline, for: world.resource())
        context.run()
        #expect(cache.calls.isEmpty)
    }

    private func write(_ text: String, _ values: Configuration) {
        let load = TransformedLoad([]) { $0 = values.pipeline }
        CacheWrites.write(load.run(Array(text.utf8)).outputs, for: world.resource())
    }

    @Test("each caching stage keeps its own form, its time is moved, and all are removed (S-186, S-190 to S-192)")
    func writes() {
        let parsing = RecordingCache("p", on: context)
        let model = RecordingCache("m", on: context)
        let values = values {
            $0[.parsing].cacheUsing(parsing)
            $0[.model].cacheUsing(model)
        }
        write("-", values)
        context.run()
        #expect(parsing.entities["p/a"]?.text == "-decpar" && model.entities["m/a"]?.text == "-decparmod")
        CacheWrites.touch(Timestamp(seconds: 2000), in: values.pipeline, for: world.resource())
        context.run()
        #expect(parsing.entities["p/a"]?.timestamp.seconds == 2000 && model.entities["m/a"]?.timestamp.seconds == 2000)
        let done = LockedBox(0)
        CacheWrites.remove(from: values.pipeline, for: world.resource()) { done.change { $0 += 1 } }
        #expect(done.value == 0)
        context.run()
        #expect(parsing.entities.isEmpty && model.entities.isEmpty && done.value == 1)
        // Nothing to do there: not written anew.
        CacheWrites.touch(Timestamp(seconds: 3000), in: values.pipeline, for: world.resource())
        context.run()
        #expect(parsing.entities.isEmpty)
    }

    @Test("operations on one key are done in the order asked for, also by caches that are made anew (S-194, S-245)")
    func ordered() {
        let cache = RecordingCache(on: context)
        let values = values { $0[.model].cacheUsing(cache) }
        write("1", values)
        CacheWrites.remove(from: values.pipeline, for: world.resource())
        write("2", values)
        let found = lookUp(values)
        #expect(cache.calls == ["write /a", "remove /a", "write /a", "read /a"])
        #expect(found??.text == "2decparmodcle")
    }

    @Test("jobs of one key never overlap and keep their order on any number of threads; other keys go on (S-245)")
    func queue() async {
        let queue = CacheQueue.background
        let log = LockedBox<[Int: [Int]]>([:])
        await withTaskGroup(of: Void.self) { group in
            for key in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        for number in 0..<200 {
                            queue.submit(for: key) {
                                log.change { $0[key, default: []].append(number) }
                                if number == 199 { continuation.resume() }
                            }
                        }
                    }
                }
            }
        }
        for key in 0..<8 { #expect(log.value[key] == Array(0..<200)) }
    }

    @Test("a cache that throws has nothing, and what it cannot keep is lost")
    func throwing() {
        let model = RecordingCache(on: context)
        let raw = RecordingCache(on: context)
        raw.entities = ["/a": Self.entity("-")]
        model.isBroken = true
        let values = values {
            $0[.rawData].cacheUsing(raw)
            $0[.model].cacheUsing(model)
        }
        #expect(lookUp(values)??.text == "-decparmodcle")
        write("x", values)
        let done = LockedBox(0)
        CacheWrites.remove(from: values.pipeline, for: world.resource()) { done.change { $0 += 1 } }
        context.run()
        #expect(done.value == 1 && raw.entities.isEmpty)
    }

    @Test("each operation on a cache tells its end once, in order, even if it fails", arguments: [false, true])
    func ends(isBroken: Bool) throws {
        let cache = RecordingCache(on: context)
        cache.isBroken = isBroken
        let keyed = try #require(cache.keyed(for: world.resource(), stage: .model))
        let ends = LockedBox<[String]>([])
        keyed.write(Self.entity("x")) { ends.change { $0.append("write") } }
        keyed.touch(Timestamp(seconds: 2)) { ends.change { $0.append("touch") } }
        keyed.read { entity in ends.change { $0.append("read \(entity?.timestamp.seconds ?? 0)") } }
        keyed.remove { ends.change { $0.append("remove") } }
        #expect(ends.value.isEmpty)
        context.run()
        #expect(ends.value == ["write", "touch", isBroken ? "read 0.0" : "read 2.0", "remove"])
    }

    @Test("failures of caches are told once a minute")
    func reports() {
        let queue = CacheQueue { _ in }
        let start = MonotonicTime(nanoseconds: 0)
        let told = [0, 0, 1, 59, 60, 61, 119, 120, 10].map { queue.mayReport(at: start + .seconds($0)) }
        // A clock set back is another clock.
        #expect(told == [true, false, false, false, true, false, false, true, true])
    }
}
