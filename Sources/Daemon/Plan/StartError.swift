import Eventing
import Settings

/// Why the daemon does not start.
public struct StartError: Error {
    /// A sentence that names the thing, what happened and the remedy.
    public var userMessage: String
    /// Whether the settings are wrong, rather than something else.
    public var hasWrongSettings = false

    init(userMessage: String) { self.userMessage = userMessage }

    init(_ error: EventError) { userMessage = error.userMessage }

    init(_ error: SettingsError) {
        userMessage = "\(error)"
        hasWrongSettings = true
    }
}
