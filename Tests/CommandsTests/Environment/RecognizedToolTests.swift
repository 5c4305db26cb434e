import TestSupport
import Testing

@testable import Commands

/// Where a tool's own arguments begin, and what `--for` names.
@Suite struct RecognizedToolTests {
    @Test(
        "the first argument of a tool stands behind the words that start it",
        arguments: [
            (["pip", "list"], .pip, 1), (["pip"], .pip, 1), (["sudo", "-n", "apt-get", "update"], .apt, 3),
            (["python3", "x.py"], .python, 1), (["env", "A=b", "python3", "x.py"], .python, 3),
            (["python3", "-I", "-m", "pip", "list"], .pip, 4), (["python3", "-m", "venv", "-m", "pip"], .python, 1),
            (["python3", "-m"], .python, 1), (["python3", "x", "-m", "pip"], .python, 1),
            (["python", "-c", "-m", "pip"], .python, 1),
        ] as [([String], ClientTool, Int)]
    )
    func arguments(words: [String], tool: ClientTool, index: Int) {
        let found = ToolRecognition.tools(in: words)
        #expect(found.count == 1 && found.first?.tool == tool && found.first?.arguments == index)
    }

    @Test(
        "each program has its tool",
        arguments: [
            (.pip, ["pip", "pip3", "pip3.12"]), (.uv, ["uv", "uvx"]), (.npm, ["npm", "npx"]),
            (.yarn, ["yarn", "yarnpkg"]), (.pnpm, ["pnpm", "pnpx"]), (.go, ["go"]), (.cargo, ["cargo"]),
            (.apt, ["apt", "apt-get", "aptitude"]), (.gem, ["gem", "bundle", "bundler"]), (.mvn, ["mvn"]),
            (.gradle, ["gradle"]), (.docker, ["docker"]), (.skopeo, ["skopeo"]), (.podman, ["podman", "buildah"]),
            (.java, ["java"]), (.git, ["git"]), (.curl, ["curl"]), (.wget, ["wget"]), (.node, ["node"]),
            (.python, ["python", "python3", "python3.12"]),
        ] as [(ClientTool, [String])]
    )
    func programs(tool: ClientTool, programs: [String]) {
        for program in programs {
            for words in [[program], ["/a/b/\(program)"], ["xargs", program], ["doas", "nice", program]] {
                let found = ToolRecognition.tools(in: words)
                #expect(found.map(\.tool) == [tool] && found.first?.program == [words.last ?? ""], "\(words)")
            }
        }
    }

    @Test(
        "a shell's text follows the option that ends with c; long options do not count",
        arguments: [
            (["sh", "-c", "-x", "pip list"], 1), (["sh", "-xc", "pip list"], 1), (["sh", "--rc", "pip list"], 0),
            (["sh", "-x"], 0), (["/bin/dash", "-c", "pip list"], 1), (["fish", "-c", "pip list"], 1),
        ] as [([String], Int)]
    )
    func shells(words: [String], count: Int) { #expect(ToolRecognition.tools(in: words).count == count) }

    @Test(
        "--for takes names, paths and words",
        arguments: [
            ("pip", .pip, ["pip"]), ("python3 -m pip", .pip, ["python3", "-m", "pip"]), ("/x/npx", .npm, ["/x/npx"]),
            ("python", .python, ["python"]), ("gradle", .gradle, ["gradle"]),
        ] as [(String, ClientTool, [String])]
    )
    func named(text: String, tool: ClientTool, program: [String]) throws {
        let found = try RecognizedTool(named: text)
        #expect(found.tool == tool && found.program == program)
    }

    @Test("a name that is none is told with all that there are, and the nearest")
    func unknown() {
        let tools =
            "pip, uv, npm, yarn, pnpm, cargo, go, git, apt, gem, mvn, gradle, docker, skopeo, podman, curl, wget, "
            + "python, node, java"
        for (text, end) in [("crago", "; did you mean `cargo`?"), ("zzzzzzzz", ""), ("", "")] {
            let error = #expect(throws: CommandFailure.self) { try RecognizedTool(named: text) }
            let start = "`\(text)` is not a tool that Respite knows; the tools are "
            #expect(error?.exitCode == 2 && error?.userMessage == start + tools + end, "\(error?.userMessage ?? "")")
        }
    }
}
