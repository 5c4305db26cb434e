import Formats

/// How variables are written for who reads them.
enum VariablesText {
    case posix
    case fish

    /// One command for each variable, notes as comments.
    func text(_ variables: ClientVariables) -> String {
        let lines = variables.variables.map { variable in
            switch self {
            case .posix: "export \(variable.name)=\(Self.quoted(variable.value))"
            case .fish: "set -gx \(variable.name) \(Self.fishQuoted(variable.value))"
            }
        }
        return (lines + variables.notes.map { "# \($0)" }).map { $0 + "\n" }.joined()
    }

    /// What takes them back.
    func undo(_ variables: ClientVariables) -> String {
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

    /// In apostrophes, unless there is nothing a shell could take for its own.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                let letter = byte | 0x20
                return letter >= 0x61 && letter <= 0x7A || byte >= 0x2B && byte <= 0x3A || byte == 0x5F
            }
        return isPlain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func fishQuoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return "'\(result)'"
    }
}
