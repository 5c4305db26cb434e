/// Why a command did not do what it was told.
struct CommandFailure: Error {
    /// A sentence for a person.
    var userMessage: String
    /// 1 failed, 2 wrong usage or settings, 3 not found, 4 daemon unreachable.
    var exitCode: Int32
    /// A daemon answers, and does not accept the token there is.
    var isRefusedToken = false

    init(_ userMessage: String, exitCode: Int32 = 1) {
        self.userMessage = userMessage
        self.exitCode = exitCode
    }
}
