import Platform
import Settings
import Testing

/// The files of the daemon that no setting names.
@Suite struct DaemonFileTests {
    private static func paths(
        _ environment: [String: String],
        isRoot: Bool = false,
        _ change: (inout DaemonSettings) -> Void = { _ in }
    ) -> DaemonPaths {
        var settings = DaemonSettings()
        change(&settings)
        return DaemonPaths(settings, context: ProcessContext(environment: environment, isRoot: isRoot))
    }

    @Test("the store is in the user's cache directory, root's, or where the settings say")
    func stores() {
        #expect(Self.paths(["XDG_CACHE_HOME": "/c", "HOME": "/h"]).storageDirectory == "/c/respite")
        #expect(Self.paths(["XDG_CACHE_HOME": "c", "HOME": "/h"]).storageDirectory == "/h/.cache/respite")
        #expect(Self.paths(["HOME": "/h"], isRoot: true).storageDirectory == "/var/cache/respite")
        #expect(Self.paths([:]).storageDirectory == nil)
        #expect(Self.paths(["HOME": "/h"]) { $0.storage.directory = .directory("/d") }.storageDirectory == "/d")
        #expect(Self.paths(["HOME": "/h"]) { $0.storage.directory = .none }.storageDirectory == nil)
    }

    @Test("token and socket are in the store's directory, else in that of the run, else nowhere")
    func tokens() {
        #expect(Self.paths(["HOME": "/h"]).adminTokenFile == "/h/.cache/respite/admin-token")
        #expect(Self.paths(["HOME": "/h"]) { $0.adminTokenFile = "/t" }.adminTokenFile == "/t")
        let memory = Self.paths([:], isRoot: true) { $0.storage.directory = .none }
        #expect(memory.adminTokenFile == "/run/respite/admin-token" && memory.adminSocket == "/run/respite/admin.sock")
        let none = Self.paths([:]) { $0.storage.directory = .none }
        #expect(none.adminTokenFile == nil && none.adminSocket == nil)
        #expect(Self.paths(["HOME": "/h"]) { $0.admin = [] }.adminSocket == nil)
    }

    @Test("the path of a socket has 107 bytes at most", arguments: [(96, true), (97, false)])
    func socketLength(length: Int, fits: Bool) {
        let directory = "/" + String(repeating: "a", count: length - 1)
        let path = Self.paths([:]) { $0.storage.directory = .directory(directory) }.adminSocket
        #expect(path == (fits ? "\(directory)/admin.sock" : nil))
        #expect(("\(directory)/admin.sock".utf8.count < 108) == fits)
    }

    @Test("a directory is handed over if the service manager made it, for the cache or the state")
    func handedOver() {
        func isHandedOver(_ environment: [String: String]) -> Bool {
            Self.paths(environment) { $0.storage.directory = .directory("/var/cache/b") }.isStorageHandedOver
        }
        #expect(isHandedOver(["CACHE_DIRECTORY": "/var/cache/a:/var/cache/b"]))
        #expect(isHandedOver(["STATE_DIRECTORY": "/var/cache/b"]))
        #expect(!isHandedOver(["CACHE_DIRECTORY": "/var/cache/a", "STATE_DIRECTORY": "/var/cache"]))
        #expect(!isHandedOver([:]))
        #expect(!Self.paths([:]) { $0.storage.directory = .none }.isStorageHandedOver)
    }
}
