import CommandSyntax
import Formats
import Terminal

/// The findings for people, for programs that read lines, and as JSON.
enum FindingText {
    /// Prints the findings of a command; returns its exit code.
    static func print(_ findings: [Finding], of command: ParsedCommand) -> Int32 {
        Console.write(command.has("json") ? json(findings) : Array(text(findings, on: .output).utf8))
        return findings.contains { $0.verdict == .fault } ? 1 : 0
    }

    static func text(_ findings: [Finding], on screen: Screen) -> String {
        guard screen.isTerminal else {
            let rows = findings.map { finding in
                [finding.verdict.rawValue, finding.subject, finding.seen, finding.remedy ?? "-"].map { Table.Cell($0) }
            }
            return Table.plain(rows)
        }
        let rows = findings.flatMap { finding in
            let mark = Table.Cell("\(finding.verdict.mark) \(finding.subject)", color: finding.verdict.color)
            let remedy = finding.remedy.map { [[Table.Cell(""), Table.Cell("→ \($0)", color: 36)]] } ?? []
            return [[mark, Table.Cell(finding.seen)]] + remedy
        }
        return Table().text(rows, on: screen) + "\n" + summary(findings) + "\n"
    }

    /// `2 faults, 1 note in 14 checks`.
    static func summary(_ findings: [Finding]) -> String {
        func count(_ verdict: Finding.Verdict) -> Int { findings.count { $0.verdict == verdict } }
        let checks = Plural.text(findings.count, "check")
        let notes = count(.note) == 0 ? "" : ", \(Plural.text(count(.note), "note"))"
        return count(.fault) == 0
            ? "no fault\(notes) in \(checks)" : "\(Plural.text(count(.fault), "fault"))\(notes) in \(checks)"
    }

    static func json(_ findings: [Finding]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("faults", findings.count { $0.verdict == .fault })
            writer.memberArray("findings") { writer in
                for finding in findings {
                    writer.object { writer in
                        writer.member("subject", finding.subject)
                        writer.member("verdict", finding.verdict.rawValue)
                        writer.member("seen", finding.seen)
                        if let remedy = finding.remedy { writer.member("remedy", remedy) }
                    }
                }
            }
        }
        return writer.bytes + [0x0A]
    }
}

extension Finding.Verdict {
    fileprivate var mark: String {
        switch self {
        case .ok: "✓"
        case .note: "•"
        case .fault: "✗"
        }
    }

    fileprivate var color: Int {
        switch self {
        case .ok: 32
        case .note: 33
        case .fault: 31
        }
    }
}
