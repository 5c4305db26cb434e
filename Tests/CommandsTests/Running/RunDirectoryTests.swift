import Platform
import TestSupport
import Testing

@testable import Commands

@Suite struct RunDirectoryTests {
    @Test("two programs of one tool share its file; nothing stays behind")
    func shared() throws {
        let home = TemporaryDirectory()
        var environment = ProcessEnvironment()
        environment["TMPDIR"] = home.path
        let directory = try RunDirectory(environment)
        let first = try directory.write("one", to: "gemrc")
        #expect(try directory.write("one", to: "gemrc") == first)
        #expect(try SmallFile.read(first, limit: 10) == Array("one".utf8))
        directory.remove()
        #expect(!SmallFile.names(in: home.path).contains { $0.hasPrefix("respite") })
    }
}
