import CommandSyntax
import HTTPCore
import Platform
import Testing
import TestSupport

@testable import Settings

/// How large files of settings may be, which names are meant, and what options cannot set.
@Suite struct SettingsLimitTests {
    private let directory = TemporaryDirectory()

    @Test("a settings file has 1 MiB at most")
    func size() throws {
        let text = String(repeating: "#", count: 1 << 20)
        let most = try directory.write(text, to: "most.toml")
        #expect(try SettingsFile.read(most).bytes.count == 1 << 20)
        let path = try directory.write(text + "#", to: "respite.toml")
        let command = try ParsedCommand.parse(["serve", "--config", path])
        let reading = LoadedSettings.read(command, context: ProcessContext(environment: [:], isRoot: false))
        #expect(reading.mistakes.all.map(\.summary) == ["\(path): cannot be read: File too large"])
    }

    @Test("a share of a disk must come to what a store needs")
    func share() throws {
        let text = "[storage]\nlimit = \"50%\"\ndirectory = \"/proc/respite\"\n"
        let path = try directory.write(text, to: "respite.toml")
        let command = try ParsedCommand.parse(["serve", "--config", path])
        let reading = LoadedSettings.read(command, context: ProcessContext(environment: [:], isRoot: false))
        #expect(
            reading.mistakes.all.map(\.summary) == [
                "\(path):2:1: `storage.limit` is 50% of the disk of /proc/respite, which is 0; at least 32MiB are needed"
            ]
        )
    }

    @Test("an option whose setting or value is none is told by its own name")
    func options() {
        func mistakes(_ name: String, _ arguments: [String], _ option: String) -> [String] {
            var reader = SettingsReader()
            reader.set(name, to: arguments, option: option)
            do throws(SettingsError) {
                _ = try reader.finish()
                return []
            } catch {
                return error.mistakes.map(\.summary)
            }
        }
        #expect(mistakes("frob", ["1"], "--frob") == ["--frob: there is no setting `frob`"])
        let nested = mistakes("listen", ["[1"], "--listen")
        #expect(nested.count == 1 && nested.first?.hasPrefix("--listen: `listen`: ") == true, "\(nested)")
    }

    @Test(
        "a misspelt table is told with the one that is meant",
        arguments: [
            ("[[rul]]", "rule"), ("[servic.x]", "service"), ("[[includ]]", "include"), ("[[listner]]", "listener"),
            ("[[war]]", "warm"), ("[storag]", "storage"),
        ]
    )
    func tables(heading: String, meant: String) {
        #expect(refusal("\(heading)\na = 1\n")?.suggestion == meant)
    }

    @Test("names of hosts and of secret parameters are kept in lower case, and a host has no port")
    func names() throws {
        let loaded = try load("admin-hosts = \"Proxy.Example\"\nlog.secret-parameters = [\"Token\", \"!\"]\n")
        #expect(loaded.values.adminHosts == ["proxy.example"])
        #expect(loaded.values.log.secretParameters == ["token", "!"])
        let error = refusal("admin-hosts = \"a.example:80\"")
        #expect(
            error?.userMessage
                == "`admin-hosts` cannot have a port, as \"a.example:80\" has: a name is good for every port"
        )
        #expect(error?.suggestion == "\"a.example\"")
    }

    @Test("a secret parameter has a name without blanks", arguments: ["", " ", "a b", "a\\t"])
    func parameters(name: String) {
        let message = refusal("log.secret-parameters = [\"\(name)\"]")?.userMessage
        #expect(message?.hasPrefix("`log.secret-parameters` must be the name of a query parameter, not ") == true)
    }
}
