/// Where traces go.
public struct TelemetrySettings: Sendable, Equatable {
    /// Nil: no request is traced.
    public var otlp: CollectorURL?
    /// The share of requests without a trace of their client that begin one.
    public var sample = 1.0
}
