import CommandTexts
import Platform

/// A tool that a command line starts.
struct RecognizedTool: Equatable {
    var tool: ClientTool
    /// The words that start it: `pip3`, or `python3 -m pip`.
    var program: [String]
    /// The index of its first argument, if the command itself is the tool.
    var arguments: Int?
}

/// Finds the tools in a command line.
///
/// It knows them by name and by path, also behind programs such as `env` and `sudo`. It also finds them in the text of
/// a shell: `sh -c …`, and a small script.
enum ToolRecognition {
    static func tools(in words: [String]) -> [RecognizedTool] {
        if let start = wrapped(words) { return tools(in: words, from: start) }
        return tools(in: words, from: 0)
    }

    /// The tool that `words` start; nil if it is no tool that Respite knows.
    static func tool(_ words: ArraySlice<String>) -> RecognizedTool? {
        guard let first = words.first else { return nil }
        let name = baseName(first)
        if let tool = names[name] ?? pip(name) {
            return RecognizedTool(tool: tool, program: [first], arguments: words.startIndex + 1)
        }
        guard name.hasPrefix("python") else { return nil }
        for index in words.indices.dropFirst() {
            guard words[index].hasPrefix("-"), words[index] != "-c" else { break }
            guard words[index] == "-m" else { continue }
            guard index + 1 < words.endIndex, words[index + 1] == "pip" else { break }
            return RecognizedTool(tool: .pip, program: [first, "-m", "pip"], arguments: index + 2)
        }
        return RecognizedTool(tool: .python, program: [first], arguments: words.startIndex + 1)
    }

    // MARK: Steps

    private static let names: [String: ClientTool] = [
        "pip": .pip, "uv": .uv, "uvx": .uv, "npm": .npm, "npx": .npm, "yarn": .yarn, "yarnpkg": .yarn, "pnpm": .pnpm,
        "pnpx": .pnpm, "go": .go, "cargo": .cargo, "apt": .apt, "apt-get": .apt, "aptitude": .apt, "gem": .gem,
        "bundle": .gem, "bundler": .gem, "mvn": .mvn, "gradle": .gradle, "docker": .docker, "skopeo": .skopeo,
        "podman": .podman, "buildah": .podman, "java": .java, "git": .git, "curl": .curl, "wget": .wget,
        "node": .node,
    ]

    /// `pip3`, `pip3.11`.
    private static func pip(_ name: String) -> ClientTool? {
        name.hasPrefix("pip") && name.dropFirst(3).allSatisfy { $0.isNumber || $0 == "." } ? .pip : nil
    }

    /// Programs that start another one, which stands among their arguments.
    private static let wrappers: Set<String> = [
        "env", "sudo", "doas", "nice", "ionice", "time", "timeout", "xargs", "stdbuf", "setsid", "nohup", "exec",
        "command", "strace",
    ]

    private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]

    /// The index of the program that wrappers start; nil if the first word is no wrapper.
    private static func wrapped(_ words: [String]) -> Int? {
        guard let first = words.first, wrappers.contains(baseName(first)) else { return nil }
        return words.indices.dropFirst().first { index in
            shells.contains(baseName(words[index])) || tool(words[index...]) != nil
        }
    }

    private static func tools(in words: [String], from start: Int) -> [RecognizedTool] {
        guard start < words.count else { return [] }
        guard shells.contains(baseName(words[start])) else { return tool(words[start...]).map { [$0] } ?? [] }
        guard let text = script(words[start...].dropFirst()) else { return [] }
        var found: [RecognizedTool] = []
        let commands = ShellCommands.commands(in: text) { wrappers.contains(baseName($0)) }
        for var tool in commands.compactMap({ Self.tool($0[...]) }) {
            tool.arguments = nil
            if !found.contains(tool) { found.append(tool) }
        }
        return found
    }

    /// The text that a shell runs.
    private static func script(_ arguments: ArraySlice<String>) -> String? {
        for index in arguments.indices {
            let word = arguments[index]
            if word.hasPrefix("-"), !word.hasPrefix("--"), word.hasSuffix("c") {
                return arguments[(index + 1)...].first { !$0.hasPrefix("-") }
            }
            guard !word.hasPrefix("-") else { continue }
            return (try? SmallFile.read(word, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }

    static func baseName(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[$0...].dropFirst()) } ?? path
    }
}
