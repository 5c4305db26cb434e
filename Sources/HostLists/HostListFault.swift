/// Why a line of a list of hosts is not understood.
public struct HostListFault: Error, Sendable, Equatable {
    /// From 1.
    public var line: Int
    /// What is wrong in the line, at most 100 bytes; nil for the first line.
    ///
    /// Also nil if the line does not look like one of a list. So a path that leads to a file with secrets does not show
    /// these.
    public var text: String?
    /// A sentence for people: what is wrong, and what to write.
    public var userMessage: String
}
