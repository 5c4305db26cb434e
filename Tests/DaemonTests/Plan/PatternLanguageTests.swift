import Eventing
import HTTPCore
import JSON
import Platform
import Settings
import TestSupport
import Testing

@testable import Administration
@testable import Daemon
@testable import Proxying

/// The table of docs/patterns.md, wherever patterns are accepted.
@Suite("One pattern language")
struct PatternLanguageTests {
    struct Example: Sendable, CustomStringConvertible {
        var pattern: String
        var url: String
        var fits: Bool
        var description: String { "\(pattern) \(url)" }

        /// Whether the pattern says nothing about path and query, so that a host alone can fit.
        var isAboutHosts: Bool {
            pattern == "**" || pattern == "https://**"
                || (pattern.contains("://") && pattern.hasSuffix("/**") && !hasPath)
        }

        private var hasPath: Bool { pattern.dropLast(3).split(separator: "/").count > 2 }
    }

    /// The rows of the table; empty if the page has none.
    static let examples: [Example] = {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        guard let bytes = try? SmallFile.read("\(root)/docs/patterns.md", limit: 1 << 20) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != "| Pattern | URL | Fits |" }.dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: " ").filter { $0 != "|" }.map { $0.filter { $0 != "`" } }
            return Example(pattern: cells[0], url: cells[1], fits: cells[2] == "yes")
        }
    }()

    private static func load(_ text: String) throws -> LoadedSettings {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try reader.finish()
    }

    @Test("the table has more than forty rows, as many that fit as that do not, and rows for hosts alone")
    func size() {
        let count = Self.examples.count
        #expect(count >= 40 && Self.examples.filter(\.fits).count * 3 > count)
        #expect(Self.examples.filter { !$0.fits }.count * 3 > count)
        #expect(Self.examples.filter(\.isAboutHosts).count > 20)
        // For commands the others are URLs.
        #expect(Self.examples.allSatisfy { URLGlob.isPattern($0.pattern) })
    }

    @Test("a rule's match is for what the table says", arguments: examples)
    func rules(example: Example) throws {
        let text = "[[rule]]\nmatch = \"\(example.pattern)\"\nttl = \"1m\"\n"
        let uri = try TargetURI(parsing: example.url)
        guard try URLGlob(example.pattern).warning() == nil || example.pattern.contains("://") else {
            // It fits nothing, and a rule says so before it is in force.
            let error = #expect(throws: SettingsError.self) { try Self.load(text) }
            #expect(!example.fits && error?.description.contains("; write `") == true)
            return
        }
        let rules = try Self.load(text).values.locatedRules
        #expect(rules.count == 1 && rules[0].applies(to: uri, .get, owner: nil) == example.fits)
        let shown = EffectiveSettings(try Self.load(text), url: uri, method: .get)
        #expect(shown.rules.map(\.match) == (example.fits ? [example.pattern] : []))
    }

    @Test("ls lists what the table says", arguments: examples)
    func listing(example: Example) throws {
        let uri = try TargetURI(parsing: example.url)
        #expect(try ResourceFilter(example.pattern).matches(uri) == example.fits)
        #expect(try ResourceFilter("ex \(example.pattern)").matches(uri) == (example.fits && uri.text.contains("ex")))
    }

    @Test("purge, wipe and invalidate drop what the table says", arguments: examples)
    func purging(example: Example) throws {
        let json = try JSONReader.parse(Array("{\"filter\":\"\(example.pattern)\"}".utf8))
        guard case .matching(let filter) = try ChangeTarget(json: JSONCursor(json)).selection else {
            Issue.record("a pattern is no URI")
            return
        }
        #expect(try filter.matches(TargetURI(parsing: example.url)) == example.fits)
    }

    @Test("intercept.hosts names what the table says, and refuses what asks for more than a host", arguments: examples)
    func interception(example: Example) throws {
        let text = "intercept.hosts = [\"\(example.pattern)\"]\n"
        // `https://host` has no path, and `*.host` no scheme: each names a host here.
        guard example.isAboutHosts || example.pattern.split(separator: "/").count < 3 else {
            #expect(throws: SettingsError.self) { try Self.load(text) }
            return
        }
        guard example.isAboutHosts else { return }
        let hosts = try Self.load(text).values.intercept.hosts
        #expect(Interception.isNamed(try TargetURI(parsing: example.url), by: hosts) == example.fits)
    }

    @Test("access.own-names lists what the table says about names", arguments: examples)
    func ownNames(example: Example) throws {
        let text = "access.own-names = [\"\(example.pattern)\"]\n"
        let uri = try TargetURI(parsing: example.url)
        let authority = example.pattern.split(separator: "/").dropFirst().first ?? ""
        let isEvery = authority.prefix { $0 != ":" }.allSatisfy { $0 == "*" }
        let hasPort = !authority.hasPrefix("[") && authority.contains(":")
        guard example.isAboutHosts, !isEvery, !hasPort else {
            if example.isAboutHosts { #expect(throws: SettingsError.self) { try Self.load(text) } }
            return
        }
        let names = try Self.load(text).values.access.ownNames
        // A name has no port: the table's rows about ports say nothing here.
        guard uri.port == uri.scheme.defaultPort else { return }
        #expect(names.contains { $0.matches(host: Array(uri.host)) } == example.fits)
    }

    @Test("access.private-names lists what the table says about names", arguments: examples)
    func access(example: Example) throws {
        let text = "access.private-names = [\"\(example.pattern)\"]\n"
        let uri = try TargetURI(parsing: example.url)
        let authority = example.pattern.split(separator: "/").dropFirst().first ?? ""
        let isName = example.isAboutHosts && !authority.allSatisfy { $0 == "*" } && !authority.contains(":")
        guard isName else {
            if example.isAboutHosts { #expect(throws: SettingsError.self) { try Self.load(text) } }
            return
        }
        let listed = try Self.load(text).values.rebinding.isListed
        // A name has no port: the table's rows about ports say nothing here.
        guard uri.port == uri.scheme.defaultPort else { return }
        let name = String(decoding: uri.host, as: UTF8.self)
        #expect(listed(name.hasSuffix(".") ? String(name.dropLast()) : name) == example.fits)
    }
}
