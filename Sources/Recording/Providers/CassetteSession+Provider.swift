public import Exchanges

extension CassetteSession {
    /// Wraps the provider that makes a loop's connections, below the policies that add credentials: it notes these.
    public func watched(_ base: any ExchangeProvider) -> any ExchangeProvider { CredentialWatch(base, self) }

    /// The provider of a loop's exchanges, which records or replays; it asks origins, if at all, by `base`.
    public func provider(over base: any ExchangeProvider, _ timekeeper: any Timekeeper) -> any ExchangeProvider {
        let recording = RecordingProvider(base, self, timekeeper)
        return switch role {
        case .recording: recording
        case .replaying(let policy): ReplayingProvider(policy == .record ? recording : base, self, policy, timekeeper)
        }
    }
}
