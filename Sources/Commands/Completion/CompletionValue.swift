import CommandSyntax
import Recording
import Settings

/// What a shell offers for the value of an option, or for an operand.
enum CompletionValue: Hashable {
    /// Nothing: the user knows.
    case anything
    /// The words that are valid; behind one that ends in `=` a value follows.
    case words([String])
    case files
    case directories
    /// A program, and behind it its arguments.
    case program

    /// The names of all settings, before their values.
    static let settingNames = SettingKey.all.map { $0.name + "=" }

    /// The value of an option.
    init(_ option: CommandOption) {
        switch (option.name, option.valueName) {
        case ("rules", "NAME"): self = .words(RulePreset.allCases.map(\.rawValue))
        case ("as", _): self = .words(["curl"])
        case ("format", _): self = .words(["pem", "der"])
        case (_, let word?): self.init(word: word)
        case (_, nil): self = .anything
        }
    }

    /// - Parameter word: the word for the value in help texts.
    init(word: String) {
        switch word {
        case "FILE": self = .files
        case "DIR": self = .directories
        case "MODE": self = .words(OperatingMode.allCases.map(\.rawValue))
        case "ORDER": self = .words(ListOrder.allCases.map(\.rawValue))
        case "TOOL": self = .words(ClientTool.allCases.map(\.rawValue))
        case "CATEGORY": self = .words(LogCategoryNames.all)
        case "SHELL": self = .words(CompletionShell.allCases.map(\.rawValue))
        case "ACTION": self = .words(MissPolicy.allCases.map(\.rawValue))
        case "PACE": self = .words(["instant", "recorded"])
        case "PARTS": self = .words(["method,url,content", "method,path,content", "-content", "-query", "+field:"])
        case "PAGE": self = .words(ManualPage.allCases.map(\.rawValue))
        case "METHOD": self = .words(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])
        case "KEY=VALUE": self = .words(Self.settingNames)
        default: self = .anything
        }
    }
}

/// What a shell offers for the operands of a command.
struct CompletionOperands {
    /// The first operands.
    var first: [CompletionValue] = []
    /// All further ones; nil: there are none.
    var rest: CompletionValue?

    init(_ command: CommandSpecification) {
        switch command.operands {
        // The words of a command's name.
        case .any("COMMAND"):
            rest = .words(CommandSpecification.listed.flatMap { $0.name.split(separator: " ").map(String.init) }.unique)
        case .none: break
        case .optional(let word), .one(let word): first = [.init(word: word)]
        case .many(let word), .any(let word): rest = .init(word: word)
        case .two(let one, let other): first = [.init(word: one), .init(word: other)]
        case .oneAndMany(let one, let others): (first, rest) = ([.init(word: one)], .init(word: others))
        // Alone, the operand is the second of the two.
        case .upToTwo(_, let last): first = [.init(word: last), .init(word: last)]
        case .program: rest = .program
        case .fileAndProgram(let word, _): (first, rest) = ([.init(word: word)], .program)
        }
    }
}

extension [String] {
    /// The elements that are not there already.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
