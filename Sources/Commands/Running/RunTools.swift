import CommandSyntax
import Platform
import Settings
import Terminal

/// The package managers of a command, with what they say about their indexes.
struct RunTools {
    struct Entry {
        var tool: RecognizedTool
        var answer: IndexAnswer
    }

    private(set) var entries: [Entry] = []
    /// The presets with their indexes that these tools need.
    private(set) var presets: [PresetSetting] = []

    /// No tools: all programs are treated alike.
    init() {}

    /// Asks each tool once; blocks.
    ///
    /// - Parameter wanted: the presets that `--rules` names; their tools are asked, too.
    /// - Throws: if such a preset's tool is absent or names no index.
    init(_ command: ParsedCommand, wanted: [PresetSetting], _ index: PackageIndex) throws(CommandFailure) {
        var tools = ToolRecognition.tools(in: command.operands)
        for name in command.values(of: "for") {
            let tool = try RecognizedTool(named: name)
            if !tools.contains(where: { $0.tool == tool.tool }) { tools.append(tool) }
        }
        let named = Set(command.values(of: "for").compactMap { try? RecognizedTool(named: $0).tool })
        for tool in tools where tool.tool.preset != nil || tool.tool == .java || named.contains(tool.tool) {
            let isNamed = named.contains(tool.tool)
            let answer: IndexAnswer
            if let named = Self.answer(of: wanted, for: tool.tool) {
                answer = named
            } else if let entry = entries.first(where: { $0.tool.tool == tool.tool }) {
                answer = entry.answer
            } else if isNamed || tools.count == 1 {
                answer = try EnvironmentCommand.answer(of: tool, command, index)
            } else {
                answer = index.ask(tool.tool, tool.program)
            }
            if isNamed, case .unknown(let reason) = answer, tool.tool.needsIndex {
                throw CommandFailure("\(reason); name the index with --index URL", exitCode: 2)
            }
            add(tool, answer)
        }
        try add(wanted, index)
    }

    private mutating func add(_ tool: RecognizedTool, _ answer: IndexAnswer) {
        entries.append(Entry(tool: tool, answer: answer))
        guard let preset = tool.tool.preset else { return }
        for index in answer.indexes {
            let setting = PresetSetting(preset, index: index.text)
            if !presets.contains(setting) { presets.append(setting) }
        }
    }

    private mutating func add(_ wanted: [PresetSetting], _ index: PackageIndex) throws(CommandFailure) {
        let source = ToolPresets(index)
        for setting in wanted {
            if setting.index == nil, presets.contains(where: { $0.preset == setting.preset }) { continue }
            var indexes: [PackageIndexURL] = []
            if let url = setting.index {
                indexes = PackageIndexURL(url).map { [$0] } ?? []
            } else {
                do throws(PresetFault) {
                    indexes = try source.indexes(of: setting.preset)
                } catch {
                    throw CommandFailure("`--rules`: \(error.userMessage)", exitCode: 2)
                }
            }
            let answer = IndexAnswer.named(text: Self.text(setting.preset, indexes), indexes)
            for tool in ClientTool.allCases
            where tool.preset == setting.preset && index.isInstalled([tool.rawValue])
                && (tool.needsIndex || [.cargo, .gem, .mvn].contains(tool))
                && !entries.contains(where: { $0.tool.tool == tool })
            {
                add(RecognizedTool(tool: tool, program: [tool.rawValue], arguments: nil), answer)
            }
            for index in indexes where !presets.contains(PresetSetting(setting.preset, index: index.text)) {
                presets.append(PresetSetting(setting.preset, index: index.text))
            }
        }
    }

    /// The indexes that `--rules` names for a tool; nil if it names none.
    private static func answer(of wanted: [PresetSetting], for tool: ClientTool) -> IndexAnswer? {
        guard let preset = tool.preset else { return nil }
        let indexes = wanted.filter { $0.preset == preset }.compactMap { $0.index.flatMap(PackageIndexURL.init) }
        return indexes.isEmpty ? nil : .named(text: text(preset, indexes), indexes)
    }

    /// The indexes in the form of the preset's tool.
    private static func text(_ preset: RulePreset, _ indexes: [PackageIndexURL]) -> String {
        let urls = indexes.map(\.text).joined(separator: ",")
        return switch preset {
        case .maven: "central \(urls)"
        case .go: "\(urls),direct"
        default: urls
        }
    }

    /// The service that Maven needs, since it cleans the path of URLs: name and base.
    var services: [(name: String, base: String)] {
        let maven = entries.first { $0.tool.tool == .mvn }
        guard let maven, case .named(_, let indexes) = maven.answer, let index = indexes.first else { return [] }
        return [("run-maven", index.directory)]
    }

    /// The preset that the tools need with the indexes, for the daemon's start.
    var known: [RulePreset: [PackageIndexURL]] {
        var known: [RulePreset: [PackageIndexURL]] = [:]
        for entry in entries {
            guard let preset = entry.tool.tool.preset, !entry.answer.indexes.isEmpty else { continue }
            known[preset] = entry.answer.indexes
        }
        return known
    }
}

/// What makes the tools of a command use the gateway: variables, arguments and files.
struct RunSetup {
    private(set) var variables = ClientVariables()
    /// The command, with arguments added to it.
    private(set) var words: [[UInt8]]
    private let directory: RunDirectory
    private let environment: ProcessEnvironment

    init(_ words: [[UInt8]], _ directory: RunDirectory, _ environment: ProcessEnvironment) {
        self.words = words
        self.directory = directory
        self.environment = environment
    }

    /// Points one tool at the gateway.
    mutating func point(
        _ entry: RunTools.Entry,
        at endpoint: ProxyEndpoint,
        _ trust: ClientVariables.Trust?,
        exceptions: String,
        index: PackageIndex,
        isIntercepting: Bool
    ) throws(CommandFailure) {
        let tool = entry.tool.tool
        if isIntercepting, !isGatewayUseful(entry) { return }
        let isNamed = if case .named = entry.answer { true } else { false }
        if tool == .uv, locksProject(entry.tool) {
            variables.note(
                "uv would write the gateway's URL into uv.lock, so it stays as it is: its requests are tunnels"
            )
            return
        }
        if isNamed, tool == .yarn || (tool == .uv && entry.tool.arguments == nil) {
            let text =
                tool == .yarn
                ? "yarn writes the gateway's URL into yarn.lock"
                : "uv writes the gateway's URL into uv.lock if it locks a project"
            variables.note("\(text); `respite run --intercept -- …` leaves it out")
        }
        switch tool {
        case .cargo where isNamed:
            let settings = ClientTool.cargoSettings(url(entry, endpoint)).joined(separator: "\n") + "\n"
            try add(["--config", try directory.write(settings, to: "cargo.toml")], to: entry.tool, index)
        case .mvn where isNamed:
            let settings =
                ClientTool.mavenSettings(entry.answer, "\(endpoint.url)/run-maven/")
                .joined(separator: "\n") + "\n"
            try add(["-gs", try directory.write(settings, to: "settings.xml")], to: entry.tool, index)
        case .gem where isNamed:
            let settings = (["---"] + ClientTool.gemSettings(url(entry, endpoint))).joined(separator: "\n") + "\n"
            let file = try directory.write(settings, to: "gemrc")
            variables["GEMRC"] = (environment["GEMRC"].map { "\($0):" } ?? "") + file
            variables["BUNDLE_MIRROR__ALL"] = url(entry, endpoint)
        case .docker:
            variables.note("docker's daemon fetches images itself, past this command: see docs/package-managers.md")
        case .apt:
            // sudo removes the variables.
            guard words.first.map({ String(decoding: $0, as: UTF8.self).hasSuffix("sudo") }) == true else { break }
            try add(["-o", "Acquire::http::Proxy=\(endpoint.url)"], to: entry.tool, index)
        default:
            variables.merge(
                tool.variables(endpoint, trust, exceptions: exceptions, answer: entry.answer)
            )
        }
        if tool == .apt, !isIntercepting, entry.answer.indexes.contains(where: { $0.text.hasPrefix("https:") }) {
            variables.note(
                "apt fetches from its https servers through tunnels; "
                    + "deb \(endpoint.url)/https://MIRROR/… in sources.list, or --intercept, caches them"
            )
        }
    }

    /// Whether the tool is better off with the gateway where its https is read anyway.
    private func isGatewayUseful(_ entry: RunTools.Entry) -> Bool {
        if case .named = entry.answer { entry.tool.tool != .uv && entry.tool.tool != .yarn } else { false }
    }

    private func url(_ entry: RunTools.Entry, _ endpoint: ProxyEndpoint) -> String {
        entry.answer.indexes.first.map { endpoint.prefixed($0.text) } ?? ""
    }

    /// Whether this is a command of uv that writes uv.lock.
    private func locksProject(_ tool: RecognizedTool) -> Bool {
        guard let start = tool.arguments, start < words.count else { return false }
        let first = words[start...].map { String(decoding: $0, as: UTF8.self) }.first { !$0.hasPrefix("-") }
        return ["lock", "sync", "add", "remove", "run"].contains(first)
    }

    /// Puts arguments before a tool's own: into the command, or by a program of the tool's name that the PATH finds
    /// first.
    private mutating func add(
        _ arguments: [String],
        to tool: RecognizedTool,
        _ index: PackageIndex
    ) throws(CommandFailure) {
        if var start = tool.arguments {
            // cargo accepts a toolchain only as its first argument.
            if start < words.count, words[start].first == UInt8(ascii: "+") { start += 1 }
            words.insert(contentsOf: arguments.map { Array($0.utf8) }, at: start)
            return
        }
        guard let name = tool.program.first, !name.contains("/"), let path = index.path(of: name) else { return }
        let call = "exec \(ShellText.quoted(path))"
        let added = arguments.map(ShellText.quoted).joined(separator: " ")
        try directory.write(
            """
            #!/bin/sh
            case "$1" in
                +*) toolchain=$1; shift; \(call) "$toolchain" \(added) "$@" ;;
            esac
            \(call) \(added) "$@"

            """,
            to: name,
            isProgram: true
        )
        let present = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        variables["PATH"] = "\(directory.path):\(present)"
    }
}
