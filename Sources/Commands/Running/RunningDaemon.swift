/// The daemon through which a command's traffic goes.
protocol RunningDaemon {
    var endpoint: ProxyEndpoint { get }

    /// What clients have received so far, or why that is unknown.
    func traffic() -> Result<TrafficCounts, CommandFailure>

    /// Called when the command has ended; returns the last counts.
    func finish() -> Result<TrafficCounts, CommandFailure>
}
