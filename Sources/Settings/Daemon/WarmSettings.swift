/// A list of URLs that is loaded at intervals: `[[warm]]`.
public struct WarmSettings: Sendable, Hashable {
    /// The file with the URLs.
    public var urls: String
    /// The time from the start of one round to that of the next.
    public var every: Duration

    public init(urls: String, every: Duration) {
        self.urls = urls
        self.every = every
    }
}
