/// Where a setting came from, for `respite config show`.
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

/// A file or an option while it is read.
struct SettingSource: Sendable {
    let name: String
    let isOption: Bool
    private let lines: [String]

    init(name: String, octets: [UInt8]) {
        self.name = name
        isOption = false
        lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }

    /// - Parameter argument: shown with a caret below the fault.
    init(option: String, argument: String?) {
        name = option
        isOption = true
        lines = argument.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) } ?? []
    }

    func error(_ message: String, at position: TextPosition?) -> SettingsError {
        let line = position.flatMap { lines.indices.contains($0.line - 1) ? lines[$0.line - 1] : nil }
        return SettingsError(
            source: name,
            line: isOption ? nil : position?.line,
            column: line == nil ? nil : position?.column,
            lineText: line.map { String($0.prefix(400)) },
            userMessage: message
        )
    }
}

/// The place where a setting was set.
struct SettingPlace: Sendable {
    let source: SettingSource
    let position: TextPosition

    var origin: SettingOrigin {
        source.isOption
            ? .option(source.name) : .file(path: source.name, line: position.line, column: position.column)
    }
}
