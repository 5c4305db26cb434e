/// Why a cassette cannot be read, made or kept.
public struct CassetteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong: `line 3, column 7`, `$.log.entries[2].response.status`, an option.
    public var place: String
    /// What is wrong there, and how to mend it.
    public var userMessage: String

    public init(place: String, _ userMessage: String) {
        self.place = place
        self.userMessage = userMessage
    }

    public var description: String { "\(place): \(userMessage)" }
}
