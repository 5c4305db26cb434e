import Platform
import ResourceCore

extension RequestError.Cause {
    /// A file cannot be sent, or a download cannot go to its file.
    public struct FileTransfer: Error, Sendable, Hashable {
        /// What was to be done with the file.
        public enum Direction: Sendable, Hashable {
            /// Its bytes were to be sent.
            case sending
            /// A response was to go there.
            case receiving
        }

        public var direction: Direction
        /// The path that the program gave.
        public var path: String
        /// What is wrong: a clause for a person.
        public var reason: String

        public init(_ direction: Direction, path: String, reason: String) {
            self.direction = direction
            self.path = path
            self.reason = reason
        }

        /// From an error of the file system.
        init(_ direction: Direction, path: String, _ fault: FileFault) {
            self.init(direction, path: path, reason: fault.reason)
        }
    }
}

extension RequestError.Cause.FileTransfer: CustomStringConvertible {
    public var description: String {
        "Cannot \(direction == .sending ? "send the file" : "download to") \(path): \(reason)"
    }
}
