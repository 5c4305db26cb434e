/// One option of a command.
public struct CommandOption: Sendable {
    /// The name without dashes.
    public let name: String
    /// The letter of its short form.
    public let short: Character?
    /// The word for its value in help texts; nil: the option has no value.
    public let valueName: String?
    /// Whether the value may be left out.
    ///
    /// It is written `--name=value`. A pattern of hosts may also stand as a word of its own, directly before `--` or
    /// another option.
    public let isValueOptional: Bool
    /// Whether it may be repeated.
    public let repeats: Bool
    /// The setting that the option sets.
    public let setting: String?
    public let summary: String

    init(
        _ name: String,
        short: Character? = nil,
        value valueName: String? = nil,
        repeats: Bool = false,
        setting: String? = nil,
        _ summary: String
    ) {
        self.name = name
        self.short = short
        self.valueName = valueName
        isValueOptional = false
        self.repeats = repeats
        self.setting = setting
        self.summary = summary
    }

    /// An option whose value may be left out; it may be repeated.
    init(_ name: String, optionalValue valueName: String, _ summary: String) {
        self.name = name
        short = nil
        self.valueName = valueName
        isValueOptional = true
        repeats = true
        setting = nil
        self.summary = summary
    }

    /// `--listen ADDR…`, `--intercept[=HOSTS]`, `-H, --header FIELD…`.
    public var usage: String {
        if isValueOptional, let valueName { return "--\(name)[\(valueName)]" }
        return (short.map { "-\($0), " } ?? "") + "--\(name)" + (valueName.map { " \($0)" } ?? "")
            + (repeats ? "…" : "")
    }
}
