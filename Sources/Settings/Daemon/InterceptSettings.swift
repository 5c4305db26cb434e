/// TLS of clients that is opened on the way.
public struct InterceptSettings: Sendable, Equatable {
    /// Where the files of our CA are; nil: the usual place, see `DaemonPaths`.
    public var caDirectory: String?
}
