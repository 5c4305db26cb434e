public import Exchanges

extension CassetteSession {
    /// The provider that makes a loop's connections, for policies above it that add credentials.
    public func watched(_ base: any ExchangeProvider) -> any ExchangeProvider { CredentialWatch(base, self) }

    /// The provider of a loop's exchanges: `base`, as far as origins are asked.
    public func provider(over base: any ExchangeProvider, _ timekeeper: any Timekeeper) -> any ExchangeProvider {
        let recording = RecordingProvider(base, self, timekeeper)
        return switch role {
        case .recording: recording
        case .replaying(let policy): ReplayingProvider(policy == .record ? recording : base, self, policy, timekeeper)
        }
    }
}
