import Platform
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// Files with the CA for programs that do not use the system's trust store.
@Suite struct TrustFilesTests {
    @Test("of bundles that variables name each has a copy of its own, however alike the ends of their paths are")
    func copies() throws {
        // Given a CA, and two bundles whose paths differ in one letter far from the end
        let directory = TemporaryDirectory()
        let settings = try directory.write("", to: "none.toml")
        let words = ["ca", "create", "--config", settings, "--ca-directory", directory.path("")]
        #expect(EntryPoint.withoutDaemon.run(words) == 0)
        let end = String(repeating: "x", count: 80) + ".pem"
        let bundles = zip(ClientVariables.bundleNames, ["a", "b"])
        var environment = ProcessEnvironment()
        for (name, letter) in bundles { environment[name] = try directory.write("# \(letter)\n", to: letter + end) }
        // When the files are written
        let files = AuthorityFiles(directory: directory.path(""))
        let trust = try #require(TrustFiles(files, environment: environment, cache: nil).files)
        // Then each variable names a copy of its own bundle
        for (name, letter) in bundles {
            let copy = try SmallFile.read(try #require(trust.extended[name]), limit: 1 << 20)
            #expect(copy.starts(with: Array("# \(letter)\n-----BEGIN CERTIFICATE-----".utf8)))
        }
    }
}
