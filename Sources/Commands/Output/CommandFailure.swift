import Terminal

/// Why a command failed, and its exit code.
struct CommandFailure: Error {
    /// A sentence for people.
    var userMessage: String
    /// 1: failed; 2: wrong usage or settings; 3: not found; 4: no daemon answers.
    ///
    /// `respite run` has more, see `RunCommand`.
    var exitCode: Int32
    /// Whether a daemon answered, but did not accept the admin token.
    var isRefusedToken = false

    init(_ userMessage: String, exitCode: Int32 = 1) {
        self.userMessage = userMessage
        self.exitCode = exitCode
    }

    /// Runs a command, and prints its failure to standard error.
    ///
    /// - Returns: the exit code.
    static func report(_ command: () throws(CommandFailure) -> Int32) -> Int32 {
        do throws(CommandFailure) {
            return try command()
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }
}
