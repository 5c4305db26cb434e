import TOML

/// Where a setting is set, for `respite config show`.
public enum SettingOrigin: Sendable, Equatable {
    case standard
    /// Line and column begin at 1.
    case file(path: String, line: Int, column: Int)
    /// An option of the command line: `--set`, `--listen`.
    case option(String)
}

extension SettingOrigin: CustomStringConvertible {
    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .option(let name): name
        }
    }
}

/// A file or an option that is being read.
struct SettingSource: Sendable {
    let name: String
    let isOption: Bool
    /// Whether it is a file of `conf.d`, which adds to the settings file.
    var isAddition = false
    /// Whether every user of this machine can read it.
    var isReadableByAll = false
    /// The keys whose values contain variables.
    private(set) var variableKeys: Set<TextPosition> = []
    private let lines: [String]
    /// Lines with a credential, counted from 1: no error shows them.
    private var secretLines: Set<Int> = []

    init(name: String, bytes: [UInt8]) {
        self.name = name
        isOption = false
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }

    /// - Parameter argument: the option's argument, which errors show with a caret below the fault.
    init(option: String, argument: String?) {
        name = option
        isOption = true
        lines = argument.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) } ?? []
    }

    func error(_ message: String, at position: TextPosition?) -> SettingsError {
        SettingsError(at: location(position), userMessage: message)
    }

    func location(_ position: TextPosition?) -> SettingsPlace {
        let line = position.flatMap { lines.indices.contains($0.line - 1) ? lines[$0.line - 1] : nil }
        return SettingsPlace(
            source: name,
            line: isOption ? nil : position?.line,
            column: line == nil ? nil : position?.column,
            lineText: secretLines.contains(position?.line ?? 0) ? nil : line.map { String($0.prefix(400)) }
        )
    }
}

// MARK: Variables

extension SettingSource {
    /// The members with variables in their texts expanded; notes secrets first, which no error may show.
    mutating func expand(_ members: [TOMLMember], _ variables: VariableText) -> [TOMLMember] {
        hideSecrets(in: members)
        let expanded = members.map { $0.expanding(variables) }
        noteVariables(in: expanded)
        return expanded
    }

    private mutating func noteVariables(in members: [TOMLMember]) {
        for member in members {
            if member.node.hasVariables { variableKeys.insert(member.keyPosition) }
            noteVariables(in: member.node)
        }
    }

    private mutating func noteVariables(in node: TOMLNode) {
        switch node.value {
        case .table(let members): noteVariables(in: members)
        case .array(let nodes): for node in nodes { noteVariables(in: node) }
        default: break
        }
    }
}

extension TOMLNode {
    /// Whether it is text with variables, or a list or table with such text.
    fileprivate var hasVariables: Bool {
        switch value {
        case .table(let members): members.contains { $0.node.hasVariables }
        case .array(let nodes): nodes.contains(where: \.hasVariables)
        default: written != nil
        }
    }
}

// MARK: Secrets

extension SettingSource {
    /// Makes the error for text that is not TOML; it shows no line of a service's table.
    func syntaxError(_ fault: TOMLError) -> SettingsError {
        var error = error(fault.message, at: fault.position)
        if isOption
            ? lines.contains(where: { $0.contains("service") || $0.contains("proxy") })
            : isInService(fault.position.line)
        {
            error.place.lineText = nil
        }
        return error
    }

    /// Whether a line of text that is not TOML may belong to a service.
    private func isInService(_ number: Int) -> Bool {
        guard let line = lines.prefix(max(0, number)).last else { return false }
        if line.contains("service") || line.contains("headers") || line.contains("proxy") { return true }
        if mayBeginInText(number) { return true }
        let heading = lines.prefix(number).last { $0.drop { $0 == " " || $0 == "\t" }.first == "[" }
        return heading?.drop { "[ \t\"'".contains($0) }.hasPrefix("service") ?? false
    }

    /// Whether a line stands behind the first that may begin text of several lines, which may be a secret.
    ///
    /// What is no TOML does not tell where such text ends.
    private func mayBeginInText(_ number: Int) -> Bool {
        lines.prefix(number - 1).contains { $0.contains("\"\"\"") || $0.contains("'''") }
    }

    /// Hides lines with the value of a service's field or a proxy's URL from errors.
    ///
    /// Lines with misspelt settings of services are hidden, too.
    private mutating func hideSecrets(in members: [TOMLMember]) {
        for member in members {
            let isURLWithUser = member.key == "rules" && "\(member.node)".contains("@")
            if member.key == "headers" || member.key == "proxy" || isURLWithUser {
                hide(member)
            } else if member.key == "service", case .table(let services) = member.node.value {
                for case .table(let inner) in services.map(\.node.value) {
                    for setting in inner where !ServiceDraft.publicNames.contains(setting.key) { hide(setting) }
                }
            }
            hideSecrets(in: member.node)
        }
    }

    private mutating func hideSecrets(in node: TOMLNode) {
        switch node.value {
        case .table(let members): hideSecrets(in: members)
        case .array(let nodes): for node in nodes { hideSecrets(in: node) }
        case .text, .integer, .real, .boolean, .dateOrTime, .faulty: break
        }
    }

    private mutating func hide(_ member: TOMLMember) {
        secretLines.insert(member.keyPosition.line)
        hide(member.node)
    }

    private mutating func hide(_ node: TOMLNode) {
        secretLines.insert(node.position.line)
        switch node.value {
        case .table(let members): for member in members { hide(member) }
        case .array(let nodes): for node in nodes { hide(node) }
        case .text: secretLines.formUnion(node.position.line...max(node.position.line, node.lastLine))
        case .integer, .real, .boolean, .dateOrTime, .faulty: break
        }
    }
}

/// Where a setting is set.
struct SettingLocation: Sendable {
    let source: SettingSource
    let position: TextPosition

    var origin: SettingOrigin {
        source.isOption
            ? .option(source.name) : .file(path: source.name, line: position.line, column: position.column)
    }
}
