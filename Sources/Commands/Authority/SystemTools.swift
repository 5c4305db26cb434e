import Platform
import Terminal

/// Runs programs of the system.
struct SystemTools {
    struct Result {
        var hasSucceeded: Bool
        /// The program's output and error messages.
        var text: String

        /// The line that usually has the reason why a program failed.
        var lastLine: String {
            let line = text.split(separator: "\n").last.map(String.init) ?? "it printed nothing"
            return Console.printable(line)
        }
    }

    private let state: ProcessState
    private let environment: ProcessEnvironment
    private let directories: [String]

    init(state: ProcessState = ProcessState(), environment: ProcessEnvironment = .current) {
        self.state = state
        // The PATH of a user may lack the directories of root's programs.
        let path = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        directories = path + ["/usr/sbin", "/sbin", "/usr/local/sbin"].filter { !path.contains($0) }
        var variables = environment
        variables["PATH"] = directories.joined(separator: ":")
        variables["LC_ALL"] = "C"
        self.environment = variables
    }

    /// The directory for temporary files.
    var temporaryDirectory: String { environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp" }

    /// The path of a program; nil if it is not installed.
    func find(_ name: String) -> String? {
        directories.lazy.map { "\($0)/\(name)" }.first(where: SmallFile.isExecutable)
    }

    /// Runs a program for two minutes at most, since some convert all CAs of the system; blocks.
    func run(_ words: [String]) -> Result {
        let all = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"] + words
        do {
            let (ending, bytes) = try state.output(of: all, environment: environment, timeout: .seconds(120))
            return Result(hasSucceeded: ending == .exited(0), text: String(decoding: bytes, as: UTF8.self))
        } catch {
            return Result(hasSucceeded: false, text: "\(error)")
        }
    }
}
