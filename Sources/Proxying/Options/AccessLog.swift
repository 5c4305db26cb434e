public import Observability

/// Where and how requests are logged.
public struct AccessLog: Sendable {
    let format: AccessLogFormat
    let secrets: SecretParameters
    /// One request of this many is logged, at random.
    let sample: Int
    let output: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - secrets: query parameters whose values are omitted (H-158).
    ///   - sample: at least 1.
    ///   - output: gets each line with its end, on the loop's thread; it must not block.
    public init(
        format: AccessLogFormat,
        secrets: SecretParameters,
        sample: Int = 1,
        output: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.format = format
        self.secrets = secrets
        self.sample = sample
        self.output = output
    }
}
