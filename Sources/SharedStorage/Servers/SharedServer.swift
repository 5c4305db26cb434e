/// A server or a cluster that all nodes share: commands in, replies out.
///
/// Bound to a loop. A test may put a model in its place.
public protocol SharedServer: AnyObject {
    /// Connects ahead of the first commands.
    func prepare()

    /// Sends commands whose keys, if they have any, are in one slot.
    ///
    /// `completion` is called once on the loop, never within this call, and not much later than `time`. On success it
    /// has a reply for each command; a reply may be an error of its own.
    func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    )

    /// Calls `told` when something is published on a channel, until `leave`; messages may be lost.
    func listen(to channel: [UInt8], _ told: @escaping () -> Void)

    func leave(_ channel: [UInt8])

    /// Closes all connections.
    func close()
}
