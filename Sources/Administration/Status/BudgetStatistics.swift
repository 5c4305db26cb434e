import Formats

/// The use of a resource that all clients share.
public struct BudgetStatistics: Sendable {
    /// The setting that limits it.
    public var setting: String
    /// Bytes.
    public var used: Int
    public var limit: Int
    /// How many requests, responses or lines were refused since the start because the limit was reached.
    public var refused: Int

    public init(setting: String, used: Int, limit: Int, refused: Int) {
        self.setting = setting
        self.used = used
        self.limit = limit
        self.refused = refused
    }

    func write(to writer: inout JSONWriter) {
        writer.member("setting", setting)
        writer.member("usedBytes", used)
        writer.member("limitBytes", limit)
        writer.member("refused", refused)
    }
}
