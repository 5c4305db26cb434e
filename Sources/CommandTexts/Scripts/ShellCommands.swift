/// The commands in a shell's text.
package enum ShellCommands {
    private static let reserved: Set<String> = ["if", "then", "else", "elif", "do", "while", "until", "!", "{"]

    /// The commands, each as its words; quotes are left out.
    ///
    /// - Parameter isWrapper: whether a word starts the program that follows it, as `env` does.
    package static func commands(in text: String, isWrapper: (String) -> Bool) -> [[String]] {
        var commands: [[String]] = []
        var words: [String] = []
        var word = ""
        for character in text + "\n" {
            switch character {
            case "'", "\"", "\\": continue
            case let other where !(other.isWhitespace || ";|&()`<>\n".contains(other)):
                word.append(character)
                continue
            default: break
            }
            let isPrefix = words.isEmpty && (isBefore(word) || isWrapper(word))
            if !word.isEmpty, !isPrefix { words.append(word) }
            word = ""
            guard !words.isEmpty, character.isNewline || ";|&()`".contains(character) else { continue }
            commands.append(words)
            words = []
        }
        return commands
    }

    /// Whether a word is none of a command's, but may stand before it: of the language, or an assignment.
    private static func isBefore(_ word: String) -> Bool {
        let name = word.prefix { $0 != "=" }
        let isAssignment = name.count < word.count && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return reserved.contains(word) || isAssignment
    }
}
