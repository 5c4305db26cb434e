import HTTPCore
import ResourceCore
import Settings
import Testing

@testable import Daemon

@Suite("Modes in force") struct ModeRegistryTests {
    private static func settings(
        _ mode: OperatingMode,
        _ service: OperatingMode?,
        name: String = "api"
    ) throws
        -> DaemonSettings
    {
        var settings = DaemonSettings()
        settings.mode = mode
        settings.services = [
            ServiceSettings(name: name, base: try .init(parsing: "http://api.example/"), mode: service)
        ]
        return settings
    }

    @Test("what an administrator says holds until the settings say something else (C-25.2)")
    func choosing() throws {
        let board = ModeRegistry(try Self.settings(.auto, nil))
        #expect(board.general == .auto && board.mode(of: "api") == nil)
        #expect(board.choose(.offline, of: nil) && board.choose(.replay, of: "api") && !board.choose(.auto, of: "none"))
        #expect(board.general == .offline && board.mode(of: "api") == .replay)
        board.adopt(try Self.settings(.auto, nil))
        #expect(board.general == .offline && board.mode(of: "api") == .replay)
        board.adopt(try Self.settings(.online, nil))
        #expect(board.general == .online && board.mode(of: "api") == .replay)
        board.adopt(try Self.settings(.online, .offline))
        #expect(board.mode(of: "api") == .offline)
    }

    @Test("a service that goes takes along what was said of it (C-25.2)")
    func gone() throws {
        let board = ModeRegistry(try Self.settings(.auto, nil))
        #expect(board.choose(.replay, of: "api"))
        board.adopt(try Self.settings(.auto, nil, name: "other"))
        board.adopt(try Self.settings(.auto, nil))
        #expect(board.mode(of: "api") == nil)
        #expect(board.services.map(\.name) == ["api"])
    }
}
