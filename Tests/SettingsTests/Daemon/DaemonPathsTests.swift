import Platform
import Settings
import Testing

/// Where the daemon keeps files that no setting places.
struct DaemonPathsTests {
    @Test(
        "the CA is where the setting says, else the service manager, the user's data directory, or root's",
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/respite:/var/lib/x", "HOME": "/home/a"], false, "/var/lib/respite/ca"),
            (["XDG_DATA_HOME": "/data", "HOME": "/home/a"], true, "/data/respite/ca"),
            (["HOME": "/root"], true, "/var/lib/respite/ca"),
            (["HOME": "/home/a"], false, "/home/a/.local/share/respite/ca"),
            ([:], false, nil),
        ] as [([String: String], Bool, String?)]
    )
    func places(environment: [String: String], isRoot: Bool, expected: String?) {
        var settings = DaemonSettings()
        let context = ProcessContext(environment: environment, isRoot: isRoot)
        #expect(DaemonPaths(settings, context: context).authorityDirectory == expected)
        settings.intercept.caDirectory = "/elsewhere"
        #expect(DaemonPaths(settings, context: context).authorityDirectory == "/elsewhere")
    }
}
