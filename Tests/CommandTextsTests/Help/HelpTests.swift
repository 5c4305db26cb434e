import CommandSyntax
import Settings
import Testing

@testable import CommandTexts

/// What `respite help` and `--help` print.
@Suite struct HelpTests {
    @Test("the overview has each command once, and fits into 80 columns")
    func overview() {
        let text = CommandSpecification.overview
        let lines = text.split(separator: "\n")
        for command in CommandSpecification.all {
            let rows = lines.filter { $0.hasPrefix("  \(command.name)  ") && $0.hasSuffix("  \(command.guide.brief)") }
            let isListed = CommandSpecification.listed.contains { $0.name == command.name }
            #expect(rows.count == (isListed ? 1 : 0), "\(command.name)")
        }
        for line in lines { #expect(line.count <= 80, "\(line)") }
        // A command that has a topic is not among the others.
        let others = lines.split(separator: "Others:").last ?? []
        #expect(!others.isEmpty && !others.contains { $0.hasPrefix("  serve ") || $0.hasPrefix("  ca create ") })
    }

    @Test("the help of each command has what it does, an example and at most 80 columns")
    func guides() throws {
        #expect(Set(CommandGuide.all.keys) == Set(CommandSpecification.all.map(\.name)))
        for command in CommandSpecification.all {
            let guide = try #require(CommandGuide.all[command.name], "\(command.name) needs an entry in CommandGuide")
            #expect(!guide.paragraphs.isEmpty && !guide.examples.isEmpty)
            #expect(command.help.contains("usage: respite \(command.name)"))
            let lines = command.help.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines.contains("Examples:")
                    && lines.contains { $0.hasPrefix("  ") && $0.contains("respite \(command.name)") }
            )
            for line in lines { #expect(line.count <= 80, "\(command.name): \(line)") }
        }
    }

    @Test("the help of a group lists its parts")
    func groupHelp() {
        for group in CommandGroup.all {
            #expect(!group.members.isEmpty)
            for member in group.members { #expect(group.help.contains("\n  \(member.name)  ")) }
        }
    }

    @Test("a term longer than its column has the explanation below it; the column is as wide as the longest other term")
    func list() {
        let (wide, long) = (String(repeating: "w", count: 24), String(repeating: "l", count: 25))
        let lines = HelpText.list([(wide, "one"), (long, "two"), ("s", "three")]).split(separator: "\n")
        func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
        #expect(lines == ["  \(wide)  one", "  \(long)", "\(spaces(28))two", "  s\(spaces(25))three"])
    }
}
