import Formats
import Terminal

/// The shells for which variables can be printed.
enum VariablesText {
    case posix
    case fish

    /// One command for each variable, and a comment for each note.
    func text(_ variables: ClientVariables) -> String {
        let lines = variables.variables.map { variable in
            switch self {
            case .posix: "export \(variable.name)=\(ShellText.quoted(variable.value))"
            case .fish: "set -gx \(variable.name) \(ShellText.fishQuoted(variable.value))"
            }
        }
        return (lines + variables.notes.map { "# \($0)" }).map { $0 + "\n" }.joined()
    }

    /// The command that removes the variables.
    func unset(_ variables: ClientVariables) -> String {
        let names = variables.variables.map(\.name).joined(separator: " ")
        guard !names.isEmpty else { return "" }
        return self == .posix ? "unset \(names)\n" : "set -e \(names)\n"
    }

    static func json(_ variables: ClientVariables) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberObject("variables") { writer in
                for variable in variables.variables { writer.member(variable.name, variable.value) }
            }
            writer.memberArray("notes") { writer in for note in variables.notes { writer.text(note) } }
        }
        return writer.bytes + [0x0A]
    }
}
