import ResourceDoubles
import HTTPCore
@testable import ResourceCore
@testable import ResourceModel
import TestDoubles

/// A service as a program has it, with its context under the test's control.
struct ProgramWorld {
    let timekeeper = ManualTimekeeper()
    /// Where hooks and observers are called.
    let context = ManualContext()
    let workers = ScriptedWorkers()
    let networking: StubNetworking
    let service: Service

    init(_ rule: @escaping StubNetworking.Rule = { _ in nil }) {
        networking = StubNetworking(rule)
        let environment = CoreEnvironment(
            timekeeper: timekeeper,
            hasher: PlainHasher(),
            transformWorkers: workers
        )
        service = Service(
            name: "test",
            table: ResourceTable(environment: environment, countLimit: 2048),
            networking: networking,
            delivery: context
        )
    }

    func resource(_ path: String = "/a") -> Resource { service.resource(for: World.uri(path)) }

    /// Runs everything that is queued, and what that queues.
    func runUntilIdle() { while workers.run() || context.run() {} }
}

/// What the hooks of a request are told, in order.
final class HookLog: Sendable {
    let notes = LockedBox<[String]>([])
    let progress = LockedBox<[Double]>([])

    /// Attaches all hooks to `request`.
    init(_ request: Request, _ prefix: String = "") {
        request
            .onCompletion { [notes] info in notes.change { $0.append("\(prefix)completion \(info.isNew)") } }
            .onSuccess { [notes] entity in notes.change { $0.append("\(prefix)success \(Self.text(entity))") } }
            .onNewData { [notes] entity in notes.change { $0.append("\(prefix)newData \(Self.text(entity))") } }
            .onNotModified { [notes] in notes.change { $0.append("\(prefix)notModified") } }
            .onFailure { [notes] error in
                notes.change { $0.append("\(prefix)failure\(error.isCancellation ? " cancelled" : "")") }
            }
            .onProgress { [notes, progress] value in
                progress.change { $0.append(value) }
                if value == 1 { notes.change { $0.append("\(prefix)progress 1") } }
            }
    }

    static func text(_ entity: Entity<any Sendable>) -> String {
        (entity.content as? String) ?? (entity.content as? [UInt8]).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}

extension Response {
    /// The content as text, of whatever kind it is.
    var contentText: String? { entity.map(HookLog.text) }
}

extension ProgramWorld {
    static let sampleFields = [("Content-Type", "text/x-sample"), ("ETag", "\"v1\"")]

    /// A world whose resource has data, loaded at the clock's start.
    static func filled(_ lines: [(String, String)] = sampleFields) -> ProgramWorld {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(200, lines, "abc")
        return world
    }

    /// The same after a load that failed 1000 seconds later.
    static func failed() -> ProgramWorld {
        let world = filled()
        world.timekeeper.advance(by: .seconds(1000))
        world.resource().load()
        world.answer(500)
        return world
    }
}
