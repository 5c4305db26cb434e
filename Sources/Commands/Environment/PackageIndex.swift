import JSON
import Platform
import Settings

/// What a tool reports about its package index.
enum IndexAnswer: Equatable {
    /// The text is in the tool's own form; Go's is a list.
    case named(text: String, [PackageIndexURL])
    /// The tool sends a password or token to this index, and to no other URL.
    case credential(PackageIndexURL)
    /// A clause with the reason why it is unknown.
    case unknown(String)

    init(_ url: String, orElse reason: String) {
        guard let index = PackageIndexURL(url) else {
            self = .unknown(reason)
            return
        }
        self = index.hasUser ? .credential(index) : .named(text: url, [index])
    }

    /// The indexes, whether or not they need a credential.
    var indexes: [PackageIndexURL] {
        switch self {
        case .named(_, let indexes): indexes
        case .credential(let index): [index]
        case .unknown: []
        }
    }
}

/// Asks package managers for the URLs of their package indexes.
struct PackageIndex: Sendable {
    private let state: ProcessState
    private let environment: ProcessEnvironment
    private let timeout: Duration

    /// - Parameter timeout: how long a tool may take to answer.
    init(state: ProcessState, environment: ProcessEnvironment, timeout: Duration = .seconds(20)) {
        self.state = state
        self.environment = environment
        self.timeout = timeout
    }

    /// - Parameter program: the words that start the tool.
    func ask(_ tool: ClientTool, _ program: [String]) -> IndexAnswer {
        guard let name = program.first, let path = path(of: name) else {
            return .unknown("\(program.first ?? "") is not installed here")
        }
        let program = [path] + program.dropFirst()
        return switch tool {
        case .pip: pip(program)
        case .uv: uv(program)
        case .npm: npm(program)
        case .pnpm: withTokens(configuration(Self.program(program, insteadOf: "pnpx", "pnpm"), "registry"))
        case .yarn: yarn(program)
        case .go: go(program)
        case .cargo: cargo(program)
        case .apt: apt()
        case .gem: gem(program)
        case .mvn: maven(program)
        case .gradle: .unknown("the build files name gradle's repositories")
        case .docker, .skopeo, .podman: .unknown("the name of an image names its registry")
        case .git, .curl, .wget, .python, .node, .java: .unknown("it has no package index")
        }
    }

    /// Whether the first word is a program here, by its path or on the PATH.
    func isInstalled(_ program: [String]) -> Bool {
        guard let name = program.first else { return false }
        return path(of: name) != nil
    }

    /// The path of a program; nil if there is none.
    func path(of name: String) -> String? {
        if name.contains("/") { return SmallFile.isExecutable(name) ? name : nil }
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first(where: SmallFile.isExecutable)
    }

    /// The program to ask; in place of one that runs packages its tool: `pnpx config` would run the package `config`.
    private static func program(_ words: [String], insteadOf runner: String, _ tool: String) -> [String] {
        words.first.map(ToolRecognition.baseName) == runner ? [tool] : words
    }

    // MARK: Tools

    /// The default of `--index-url` in pip's help text, which is that of the user's settings and variables.
    private func pip(_ program: [String]) -> IndexAnswer {
        var wide = environment
        // Otherwise pip breaks long URLs.
        wide["COLUMNS"] = "2000"
        let answer = run(program + ["install", "--help"], wide)
        guard let index = Self.defaultIndex(inHelp: answer.text, option: "--index-url", mark: "(default") else {
            return unknown("pip", answer)
        }
        // pip shows `user:****@`.
        return IndexAnswer(index, orElse: "pip names no URL")
    }

    /// The default of an option; its description may have several lines.
    static func defaultIndex(inHelp help: String, option: String, mark: String) -> String? {
        guard let found = help.ranges(of: option).first else { return nil }
        let text = help[found.upperBound...].prefix(2500)
        guard let start = text.firstRange(of: mark)?.upperBound else { return nil }
        let word = text[start...].drop { " \n\t:<".contains($0) }.prefix { !" \n\t)>".contains($0) }
        return word.isEmpty ? nil : String(word)
    }

    private func uv(_ program: [String]) -> IndexAnswer {
        for name in ["UV_DEFAULT_INDEX", "UV_INDEX_URL"] {
            guard let value = environment[name], !value.isEmpty else { continue }
            return IndexAnswer(value, orElse: "\(name) is no URL")
        }
        let home = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { "\($0)/.config" }
        let files = ["uv.toml", "pyproject.toml"] + (home.map { ["\($0)/uv/uv.toml"] } ?? []) + ["/etc/uv/uv.toml"]
        for file in files {
            guard let bytes = try? SmallFile.read(file, limit: 1 << 20) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let mark = file == "pyproject.toml" ? "[tool.uv.index]]" : "index"
            if text.contains(mark) || text.contains("index-url") { return .unknown("\(file) names indexes of its own") }
        }
        let program = Self.program(program, insteadOf: "uvx", "uv")
        let answer = run(program + ["pip", "install", "--help"], environment)
        let index = Self.defaultIndex(inHelp: answer.text, option: "--default-index", mark: "(by default:")
        guard let index else { return unknown("uv", answer) }
        return IndexAnswer(index, orElse: "uv names no URL")
    }

    /// The registry, unless the settings also have a credential for it.
    private func npm(_ program: [String]) -> IndexAnswer {
        let program = Self.program(program, insteadOf: "npx", "npm")
        let answer = run(program + ["config", "ls", "-l"], environment)
        let lines = answer.text.split(whereSeparator: \.isNewline)
        let registries = lines.filter { $0.hasPrefix("registry = ") }
        let url = registries.last.map { $0.dropFirst(11).filter { $0 != "\"" } }
        guard let url, let index = PackageIndexURL(url) else { return unknown("npm", answer) }
        let hasToken = Self.hasToken(for: index, in: lines)
        return hasToken || index.hasUser ? .credential(index) : .named(text: url, [index])
    }

    /// Whether one of some lines has a credential for an index, as .npmrc writes it.
    ///
    /// `//registry.example/path/:_authToken` is for URLs below `//registry.example/path/`.
    private static func hasToken(for index: PackageIndexURL, in lines: [Substring]) -> Bool {
        let place = index.directory.drop { $0 != "/" }
        return lines.contains { line in
            guard line.hasPrefix("//"), let mark = line.firstRange(of: ":_") else { return false }
            return place.hasPrefix(line[..<mark.lowerBound])
        }
    }

    /// The registry of yarn 1, else that of later versions, which have credentials in settings of their own.
    private func yarn(_ program: [String]) -> IndexAnswer {
        if let classic = classicYarn(program) { return withTokens(classic) }
        let answer = configuration(program, "npmRegistryServer")
        guard case .named(_, let indexes) = answer, let index = indexes.first else { return answer }
        let isOpen = ["npmAuthToken", "npmAuthIdent"].allSatisfy { key in
            ["", "undefined", "null"].contains(lastLine(run(program + ["config", "get", key], environment)))
        }
        let hasOwn = run(program + ["config", "get", "npmRegistries"], environment).text.contains("npmAuth")
        return isOpen && !hasOwn ? answer : .credential(index)
    }

    /// The registry of yarn 1; nil if this is a later version, which does not list its settings so.
    ///
    /// Its list has an object for its own settings and then one for npm's, whose registry it asks if there is one.
    /// `yarn config get registry` gives only its own.
    private func classicYarn(_ program: [String]) -> IndexAnswer? {
        let lines = run(program + ["config", "list", "--json"], environment).text.split(whereSeparator: \.isNewline)
        let settings = lines.compactMap { try? JSONReader.parse(Array($0.utf8))["data"] }
        guard case .text(let registry) = settings.compactMap({ $0["registry"] }).last, PackageIndexURL(registry) != nil
        else { return nil }
        return IndexAnswer(registry, orElse: "")
    }

    /// The value of a setting, if it is a URL.
    private func configuration(_ program: [String], _ key: String) -> IndexAnswer {
        let answer = run(program + ["config", "get", key], environment)
        let line = lastLine(answer)
        guard PackageIndexURL(line) != nil else {
            return unknown(program.first.map(ToolRecognition.baseName) ?? "", answer)
        }
        return IndexAnswer(line, orElse: "")
    }

    private func lastLine(_ output: Output) -> String {
        output.text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    }

    /// The same index as one with a credential, if .npmrc has one for it: of the user, here, or in a directory above.
    private func withTokens(_ answer: IndexAnswer) -> IndexAnswer {
        guard case .named(_, let indexes) = answer, let index = indexes.first else { return answer }
        let own = environment["NPM_CONFIG_USERCONFIG"] ?? environment["npm_config_userconfig"]
        let user = own ?? environment["HOME"].map { "\($0)/.npmrc" }
        let files = (user.map { [$0] } ?? []) + (0..<Self.levels).map { String(repeating: "../", count: $0) + ".npmrc" }
        let hasToken = files.contains { file in
            guard let bytes = try? SmallFile.read(file, limit: 1 << 20) else { return false }
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            return Self.hasToken(for: index, in: lines.map { $0.drop(while: \.isWhitespace) })
        }
        return hasToken ? .credential(index) : answer
    }

    /// How many directories, this one first, may have the .npmrc of a workspace.
    private static let levels = 16

    /// The list of proxies: URLs and words.
    private func go(_ program: [String]) -> IndexAnswer {
        let answer = run(program + ["env", "GOPROXY"], environment)
        let list = answer.text.filter { !$0.isWhitespace }
        let indexes = list.split { ",|".contains($0) }.compactMap { PackageIndexURL(String($0)) }
        if let secret = indexes.first(where: \.hasUser) { return .credential(secret) }
        return indexes.isEmpty ? unknown("go", answer) : .named(text: list, indexes)
    }

    /// cargo prints no setting of its index, but names it where it cannot reach it.
    private func cargo(_ program: [String]) -> IndexAnswer {
        var deaf = environment
        for name in ["no_proxy", "NO_PROXY"] { deaf[name] = nil }
        deaf["CARGO_HTTP_PROXY"] = "http://127.0.0.1:1"
        deaf["CARGO_NET_RETRY"] = "0"
        deaf["CARGO_TERM_COLOR"] = "never"
        // Of the commands that ask the index, this one also heeds a replaced source. It never finds anything.
        let words = program + ["install", "--root", "/dev/null/none", "respite-index-probe"]
        let answer = run(words, deaf, withErrors: true)
        for quoted in answer.text.split(separator: "`") where quoted.hasSuffix("/config.json") {
            return IndexAnswer(String(quoted.dropLast(11)), orElse: "cargo names no URL")
        }
        return unknown("cargo", answer)
    }

    /// The servers of all package lists.
    private func apt() -> IndexAnswer {
        let answer = run(["apt-get", "indextargets", "--format", "$(SITE)"], environment)
        var indexes: [PackageIndexURL] = []
        for line in answer.text.split(whereSeparator: \.isNewline) {
            if let index = PackageIndexURL(String(line)), !indexes.contains(index) { indexes.append(index) }
        }
        return indexes.isEmpty ? unknown("apt-get", answer) : .named(text: "", indexes)
    }

    private func gem(_ program: [String]) -> IndexAnswer {
        let program = program.first?.hasSuffix("gem") == true ? program : ["gem"]
        let answer = run(program + ["environment", "remotesources"], environment)
        let indexes = answer.text.split(whereSeparator: \.isWhitespace).compactMap { PackageIndexURL(String($0)) }
        if let secret = indexes.first(where: \.hasUser) { return .credential(secret) }
        guard let first = indexes.first else { return unknown("gem", answer) }
        return .named(text: first.text, indexes)
    }

    /// Maven names its repository where it may not ask it.
    private func maven(_ program: [String]) -> IndexAnswer {
        let answer = run(["sh", "-c", "cd / && exec \"$@\"", "sh"] + program + ["-o", "-B", "a:b:1:c"], environment)
        guard let mark = answer.text.firstRange(of: "Cannot access "),
            let open = answer.text[mark.upperBound...].firstIndex(of: "(")
        else { return unknown("mvn", answer) }
        let name = answer.text[mark.upperBound..<open].prefix { $0 != " " }
        let url = IndexAnswer(
            String(answer.text[open...].dropFirst().prefix { $0 != ")" }),
            orElse: "mvn names no URL"
        )
        guard case .named(let text, let indexes) = url else { return url }
        return .named(text: "\(name) \(text)", indexes)
    }

    // MARK: Steps

    /// What a program wrote, or why it wrote nothing.
    private struct Output {
        var text = ""
        var isLate = false
    }

    /// Runs a program; many fail on purpose, so its exit code does not matter.
    private func run(
        _ words: [String],
        _ environment: ProcessEnvironment,
        withErrors: Bool = false
    ) -> Output {
        let words = path(of: words.first ?? "").map { [$0] + words.dropFirst() } ?? words
        let call = withErrors ? ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + words : words
        do throws(SystemError) {
            let result = try state.output(of: call, environment: environment, timeout: timeout)
            return Output(text: String(decoding: result.bytes, as: UTF8.self))
        } catch {
            return Output(isLate: error.isTimeout)
        }
    }

    private func unknown(_ tool: String, _ answer: Output) -> IndexAnswer {
        .unknown(
            answer.isLate
                ? "\(tool) has not answered within \(timeout.components.seconds) s"
                : "\(tool) does not say where its packages come from"
        )
    }
}
