import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

/// What subscribers of the whole table hear.
@Suite("Events of all resources") struct TableEventTests {
    private static func text(_ event: TableEvent) -> String {
        switch event {
        case .change(let number, let change): "\(number) \(change.uri.text.suffix(2)) \(change.event.text)"
        case .gap(let missed): "gap \(missed)"
        }
    }

    @Test(
        "subscribers hear of every resource, in numbered order, and how much they missed; a cancelled one hears nothing"
    )
    func subscribing() {
        let (world, context) = (World(), ManualContext())
        let told = LockedBox<[String]>([])
        func take() -> [String] {
            context.run()
            return told.change { told in
                defer { told = [] }
                return told
            }
        }
        world.fill("/z")
        #expect(!world.table.isWatched)
        let subscription = world.table.addObserver(context: context, bound: 3) { events in
            told.change { $0 += events.map(Self.text) }
        }
        #expect(world.table.isWatched)
        world.fill("/a")
        #expect(told.value.isEmpty && take() == ["1 /a requested", "2 /a newData(network)"])
        for path in ["/b", "/c"] { world.fill(path) }
        #expect(take() == ["3 /b requested", "4 /b newData(network)", "5 /c requested", "gap 1"])
        world.resource("/a").wipe()
        #expect(take() == ["7 /a newData(wipe)"])
        subscription.cancel()
        world.fill("/d")
        #expect(take().isEmpty && !world.table.isWatched)
    }

    @Test("a watcher that names no bound has room for 1,024 events; what does not fit is counted")
    func usualBound() {
        let (world, context) = (World(), ManualContext())
        let told = LockedBox<[String]>([])
        let subscription = world.table.addObserver(context: context) { events in
            told.change { $0 += events.map(Self.text) }
        }
        for number in 0..<513 { world.fill("/\(number)") }
        context.run()
        #expect(told.value.count == 1025 && told.value.last == "gap 2")
        subscription.cancel()
    }
}
