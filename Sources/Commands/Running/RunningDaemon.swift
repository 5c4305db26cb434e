/// The daemon that a command's traffic goes through.
protocol RunningDaemon {
    var endpoint: ProxyEndpoint { get }

    /// What clients have got so far, or why that is not known.
    func traffic() -> Result<TrafficCounts, CommandFailure>

    /// Called when the command has ended; returns the last counts.
    func finish() -> Result<TrafficCounts, CommandFailure>
}
