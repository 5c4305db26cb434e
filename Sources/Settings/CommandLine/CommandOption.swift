/// One option of a command.
public struct CommandOption: Sendable {
    /// Without the dashes.
    public let name: String
    /// A letter that stands for it behind one dash.
    let short: Character?
    /// What stands for its value in help texts; nil: the option takes none.
    public let valueName: String?
    /// May be given more than once.
    public let repeats: Bool
    /// The setting it stands for.
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
        self.repeats = repeats
        self.setting = setting
        self.summary = summary
    }

    /// `--listen ADDR…`, `-H, --header FIELD…`.
    var usage: String {
        (short.map { "-\($0), " } ?? "") + "--\(name)" + (valueName.map { " \($0)" } ?? "") + (repeats ? "…" : "")
    }
}
