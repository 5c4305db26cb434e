import Eventing
import Platform
import Settings

/// Programs of the system, with what they say.
struct SystemTools {
    struct Answer {
        var isDone: Bool
        /// Standard output and error.
        var text: String

        /// What a failure is usually told by.
        var lastLine: String {
            let line = text.split(separator: "\n").last.map(String.init) ?? "it said nothing"
            return Console.printable(line)
        }
    }

    private let state: ProcessState
    private let environment: ProcessEnvironment
    private let directories: [String]

    init(state: ProcessState = ProcessState(), environment: ProcessEnvironment = .current) {
        self.state = state
        // A user's PATH need not have root's programs.
        let path = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        directories = path + ["/usr/sbin", "/sbin", "/usr/local/sbin"].filter { !path.contains($0) }
        var own = environment
        own["PATH"] = directories.joined(separator: ":")
        own["LC_ALL"] = "C"
        self.environment = own
    }

    /// Where files for a moment are.
    var temporaryDirectory: String {
        environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    }

    /// Where a program is; nil if it is not installed.
    func find(_ name: String) -> String? {
        directories.lazy.map { "\($0)/\(name)" }.first(where: SmallFile.isExecutable)
    }

    func run(_ words: [String]) -> Answer {
        let all = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"] + words
        do {
            // Some have other programs convert all authorities of the system.
            let (ending, bytes) = try state.output(of: all, environment: environment, timeout: .seconds(120))
            return Answer(isDone: ending == .exited(0), text: String(decoding: bytes, as: UTF8.self))
        } catch {
            return Answer(isDone: false, text: "\(error)")
        }
    }
}
