/// Why a line of a list of hosts is not understood.
public struct HostListFault: Error, Sendable, Equatable {
    /// From 1.
    public var line: Int
    /// The line, at most 100 bytes of it.
    public var text: String
    /// A sentence for people: what is wrong, and what to write.
    public var userMessage: String
}
