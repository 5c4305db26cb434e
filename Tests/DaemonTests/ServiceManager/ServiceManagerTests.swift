import Eventing
import Platform
import TestSupport
import Testing

@testable import Daemon

/// What the daemon tells a service manager, and when.
@Suite struct ServiceManagerTests {
    private let notices: NoticeSocket
    private let manual: ManualLoop

    init() throws {
        notices = try NoticeSocket(in: TemporaryDirectory())
        manual = try ManualLoop()
    }

    /// A manager that gives signs of life, and tells the status that `status` makes.
    private func watch(_ variables: [String: String], status: @escaping @Sendable () -> String = { "serving" }) {
        var environment = variables
        environment["NOTIFY_SOCKET"] = notices.path
        ServiceManager(environment: environment, processIdentifier: 7)
            .watch([manual.loop.handle], on: manual.loop, status: status)
        manual.turn()
    }

    @Test(
        "a sign of life comes at once, and after each half of the watchdog's limit (sd_watchdog_enabled)",
        arguments: [["WATCHDOG_USEC": "2000000"], ["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "7"]]
    )
    func signsOfLife(variables: [String: String]) throws {
        watch(variables)
        #expect(try notices.next() == ["WATCHDOG=1", "STATUS=serving"])
        for _ in 0..<2 {
            manual.advance(by: .milliseconds(999))
            #expect(!notices.hasNotice)
            manual.advance(by: .milliseconds(1))
            #expect(try notices.next() == ["WATCHDOG=1"])
        }
    }

    @Test(
        "without a watchdog of ours only a new status is told, after ten seconds",
        arguments: [[:], ["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"]]
    )
    func statusAlone(variables: [String: String]) throws {
        let status = SharedValue("serving")
        watch(variables) { status.current }
        #expect(try notices.next() == ["STATUS=serving"])
        manual.advance(by: .seconds(10))
        #expect(!notices.hasNotice)
        status.update { $0 = "offline" }
        manual.advance(by: .milliseconds(9_999))
        #expect(!notices.hasNotice)
        manual.advance(by: .milliseconds(1))
        #expect(try notices.next() == ["STATUS=offline"])
    }

    @Test("a service manager is told that the daemon is ready, reads its settings, and stops")
    func phases() throws {
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": notices.path])
        manager.isReady(status: "serving")
        #expect(try notices.next() == ["READY=1", "STATUS=serving"])
        let before = SystemClock.awakeNanoseconds() / 1000
        manager.isReloading()
        let reloading = try notices.next()
        try #require(reloading.count == 3)
        #expect(reloading[0] == "RELOADING=1" && reloading[2] == "STATUS=reading the settings")
        // The manager compares it with its own clock (sd_notify(3)).
        let time = try #require(Int64(reloading[1].replacing("MONOTONIC_USEC=", with: "")))
        #expect(time >= before && time <= SystemClock.awakeNanoseconds() / 1000)
        manager.isStopping()
        #expect(try notices.next() == ["STOPPING=1", "STATUS=draining"])
    }

    @Test("a status that was told when the daemon became ready is not told again")
    func toldStatus() throws {
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": notices.path])
        manager.isReady(status: "serving")
        #expect(try notices.next() == ["READY=1", "STATUS=serving"])
        manager.watch([manual.loop.handle], on: manual.loop) { "serving" }
        manual.turn()
        #expect(!notices.hasNotice)
    }
}
