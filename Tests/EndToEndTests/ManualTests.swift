import Testing
import TestSupport

/// The manual pages as packages install them.
struct ManualTests {
    @Test("groff formats the pages without a warning", arguments: ["respite.1", "respite.toml.5"])
    func groff(name: String) throws {
        let directory = TemporaryDirectory()
        let page = try Command.run([DaemonProcess.executable, "man", name])
        #expect(page.status == 0)
        let file = try directory.write(page.output, to: name)
        let formatted = try Command.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=100n", file])
        #expect(formatted.status == 0 && formatted.errors.isEmpty, "\(formatted.errors)")
        #expect(formatted.output.contains("SEE ALSO"))
        #expect(try Command.run([DaemonProcess.executable, "man", "respite.7"]).status == 2)
    }
}
