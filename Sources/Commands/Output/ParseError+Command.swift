import HTTPCore

extension ParseError {
    /// What is wrong with a response, as a part of a command's message: without the period.
    var responseFault: String { "the response is not HTTP: \(userMessage.dropLast())" }
}
