/// Why a line of a list of hosts is not understood.
public struct HostListFault: Error, Sendable, Equatable {
    /// From 1.
    public var line: Int
    /// The wrong part of the line, at most 100 bytes; nil for the first line, and for one that looks like no list.
    ///
    /// So a wrong path, to a file with secrets, does not make these appear in a message.
    public var text: String?
    /// A sentence for people: what is wrong, and what to write.
    public var userMessage: String
}
