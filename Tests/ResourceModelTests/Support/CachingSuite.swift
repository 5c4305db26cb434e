import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Transforms

/// A suite about a resource that has caches in its pipeline.
protocol CachingSuite {
    var world: ProgramWorld { get }
    /// The work of its caches.
    var jobs: StubCacheJobs { get }
}

extension CachingSuite {
    var resource: Resource { world.resource() }
    var now: Timestamp { world.timekeeper.timestamp }

    /// A cache at a stage.
    func cache(at stage: PipelineStageKey = .cleanup, hasKeys: Bool = true) -> StubCache {
        let cache = StubCache(jobs, hasKeys: hasKeys)
        world.service.configure { $0.pipeline[stage].cacheUsing(cache) }
        return cache
    }

    /// Has every stage but the first append its name.
    func tagAll(_ stages: [PipelineStageKey] = [.decoding, .parsing, .model, .cleanup]) {
        world.service.configure { configuration in
            for stage in stages {
                configuration.pipeline[stage].add(Tagging(tag: " \(stage)"))
            }
        }
    }

    /// Does all that waits, work of caches, too.
    func runUntilIdle() {
        while world.workers.run() || world.context.run() || jobs.queue.run() {}
    }

    func answer(_ status: UInt16 = 200, _ lines: [(String, String)] = [], _ text: String = "") {
        world.networking.last.answer(status, lines, text)
        runUntilIdle()
    }

    func observed() -> EventRecorder {
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        return recorder
    }
}
