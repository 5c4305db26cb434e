/// Owns a file that others send parts of, and is told when it turns out that the file cannot be read.
public protocol FileReadObserver: AnyObject, Sendable {
    /// The system could not read a part of the file, or the file has become shorter; on any thread.
    func fileCouldNotBeRead()
}
