import Platform
import Settings

/// Asks package managers for the URLs of their package indexes.
struct PackageIndex {
    private let state: ProcessState
    private let environment: ProcessEnvironment

    init(state: ProcessState, environment: ProcessEnvironment) {
        self.state = state
        self.environment = environment
    }

    /// The index that `pip config` names, otherwise the default in pip's help text.
    func pip() throws(CommandFailure) -> String {
        for pip in ["pip", "pip3"] {
            for key in ["install.index-url", "global.index-url"] {
                if let index = Self.url(output([pip, "config", "get", key])) { return index }
            }
            if let index = Self.defaultIndex(inHelp: output([pip, "install", "--help"])) { return index }
        }
        throw Self.unknown("pip")
    }

    /// The default of `--index-url`; its description may have several lines.
    static func defaultIndex(inHelp help: String) -> String? {
        guard let option = help.ranges(of: "--index-url").first else { return nil }
        let text = help[option.upperBound...].prefix(400).split { " \n".contains($0) }
        guard let word = text.firstIndex(where: { $0.hasSuffix("(default") }) else { return nil }
        return text[word...].dropFirst().first.flatMap { url(String($0.prefix { $0 != ")" })) }
    }

    func npm() throws(CommandFailure) -> String {
        guard let index = Self.url(output(["npm", "config", "get", "registry"])) else { throw Self.unknown("npm") }
        return index
    }

    /// The list of proxies: URLs and words.
    func go() throws(CommandFailure) -> String {
        let list = output(["go", "env", "GOPROXY"])
        guard list.contains("://") else { throw Self.unknown("go") }
        return list
    }

    /// The registry that cargo's settings put in place of the default one, without `sparse+`; nil if there is none.
    func cargo() -> String? {
        let home = environment["CARGO_HOME"] ?? environment["HOME"].map { $0 + "/.cargo" }
        guard let home else { return nil }
        for name in ["config.toml", "config"] {
            guard let bytes = try? SmallFile.read("\(home)/\(name)", limit: 1 << 20),
                let source = ForeignTOML.text(at: ["source", "crates-io", "replace-with"], in: bytes),
                let registry = ForeignTOML.text(at: ["source", source, "registry"], in: bytes)
            else { continue }
            return Self.url(registry.hasPrefix("sparse+") ? String(registry.dropFirst(7)) : registry)
        }
        return nil
    }

    // MARK: Steps

    /// The output of a program without its last line end; empty if the program is not installed or fails.
    private func output(_ words: [String]) -> String {
        let result = try? state.output(of: words, environment: environment, timeout: .seconds(10))
        guard let result, result.ending == .exited(0) else { return "" }
        var text = String(decoding: result.bytes, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private static func url(_ text: String) -> String? {
        let isURL = text.hasPrefix("https://") || text.hasPrefix("http://")
        return isURL && !text.contains(where: \.isWhitespace) ? text : nil
    }

    private static func unknown(_ tool: String) -> CommandFailure {
        CommandFailure(
            "\(tool) does not say where its packages come from; name the index with --index URL",
            exitCode: 2
        )
    }
}
