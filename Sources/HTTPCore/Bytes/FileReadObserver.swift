/// Owns a file of which other code sends parts; it is notified if the file cannot be read.
public protocol FileReadObserver: AnyObject, Sendable {
    /// The system could not read a part of the file, or the file has become shorter; called on any thread.
    func fileCouldNotBeRead()
}
