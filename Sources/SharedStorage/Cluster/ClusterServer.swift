public import Eventing
import HTTPCore

/// A Redis Cluster: sends commands to the node that has their slot, and follows the slots as they move.
///
/// Bound to its loop.
public final class ClusterServer: SharedServer {
    private let loop: EventLoop
    private let connector: Connector
    private let options: ServerOptions
    /// The nodes that the settings name.
    private let seeds: [ServerAddress]
    private let subscriptions: Subscriptions
    private var links: [ServerAddress: ServerLink] = [:]
    private var map = SlotMap()
    private var refresh: MapRefresh
    /// Batches that wait for the first map.
    private var waiting: [Journey] = []

    /// Commands on their way.
    private final class Journey {
        var batch: RoutedBatch
        let deadline: MonotonicTime
        let completion: (SharedResult) -> Void

        init(_ batch: RoutedBatch, until deadline: MonotonicTime, _ completion: @escaping (SharedResult) -> Void) {
            self.batch = batch
            self.deadline = deadline
            self.completion = completion
        }
    }

    public init(_ seeds: [ServerAddress], loop: EventLoop, connector: Connector, options: ServerOptions) {
        self.seeds = seeds
        self.loop = loop
        self.connector = connector
        self.options = options
        subscriptions = Subscriptions(loop, connector, options)
        refresh = MapRefresh(first: options.firstPause, longest: options.longestPause)
    }

    public func prepare() { refreshMap() }

    public func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    ) {
        let journey = Journey(RoutedBatch(commands), until: loop.now + time, completion)
        if map.nodes.isEmpty { waitForMap(journey, time) } else { advance(journey) }
    }

    private func waitForMap(_ journey: Journey, _ time: Duration) {
        if let failure = refresh.failure, !refresh.isDue(loop.now) {
            return loop.atEndOfTurn { journey.completion(.failure(failure)) }
        }
        waiting.append(journey)
        loop.schedule(after: time) { [weak self] in self?.giveUp(journey) }
        refreshMap()
    }

    private func giveUp(_ journey: Journey) {
        guard let index = waiting.firstIndex(where: { $0 === journey }) else { return }
        waiting.remove(at: index)
        journey.completion(.failure(.timeout))
    }

    // MARK: Commands

    /// Sends the commands without a reply to the node that has their slot.
    private func advance(_ journey: Journey) {
        guard let node = map.node(of: journey.batch.slot) else {
            refreshMap()
            return loop.atEndOfTurn { journey.completion(.failure(.noNode)) }
        }
        send(journey, to: node, isAsking: false)
    }

    private func send(_ journey: Journey, to node: ServerAddress, isAsking: Bool) {
        let left = journey.deadline - loop.now
        guard left > .zero else { return loop.atEndOfTurn { journey.completion(.failure(.timeout)) } }
        let commands = isAsking ? journey.batch.restAsking : journey.batch.rest
        link(to: node).send(commands, within: left) { [self] result in
            switch result {
            case .success(let replies): didReceive(replies, journey, isAsking: isAsking)
            case .failure(let failure):
                // The node may be gone, and another one may have its slots.
                refreshMap()
                journey.completion(.failure(failure))
            }
        }
    }

    private func didReceive(_ replies: [RedisReply], _ journey: Journey, isAsking: Bool) {
        note(replies)
        switch journey.batch.receive(replies, isAsking: isAsking) {
        case .done(let all): journey.completion(.success(all))
        case .send(let node, let isAsking): send(journey, to: node, isAsking: isAsking)
        case .wait(let pause): loop.schedule(after: pause) { [self] in advance(journey) }
        case .fail(let failure):
            refreshMap()
            journey.completion(.failure(failure))
        }
    }

    /// Learns from redirections where slots are.
    private func note(_ replies: [RedisReply]) {
        for reply in replies {
            guard case .moved(let slot, let node)? = reply.failure?.kind else { continue }
            if let node { map.move(slot, to: node) }
            refreshMap()
        }
    }

    private func link(to node: ServerAddress) -> ServerLink {
        if let link = links[node] { return link }
        let link = ServerLink(node, loop, connector, options)
        links[node] = link
        return link
    }

    // MARK: The map

    /// Asks a node for the map, unless that is being done, or was done a moment ago.
    private func refreshMap() {
        guard refresh.begin(at: loop.now) else { return }
        let nodes = map.nodes + seeds.filter { !map.nodes.contains($0) }
        ask(nodes[...], before: nil)
    }

    private func ask(_ nodes: ArraySlice<ServerAddress>, before failure: SharedFailure?) {
        guard let node = nodes.first else { return endRefresh(failure: failure ?? .noNode) }
        link(to: node).send([RedisCommand("CLUSTER", "SLOTS")], within: options.connectTimeout) { [self] result in
            switch result {
            case .failure(let failure): ask(nodes.dropFirst(), before: failure)
            case .success(let replies):
                guard let map = SlotMap(replies[0], from: node) else {
                    let error = replies[0].failure.map { SharedFailure.refused($0) }
                    return ask(nodes.dropFirst(), before: error ?? .noRedis("no map of slots"))
                }
                adopt(map)
            }
        }
    }

    private func adopt(_ map: SlotMap) {
        self.map = map
        // Nodes that left the cluster need no connection.
        for (node, link) in links where !map.nodes.contains(node) && !seeds.contains(node) {
            links[node] = nil
            link.close()
        }
        refresh.succeed(at: loop.now)
        for node in map.nodes { link(to: node).prepare() }
        for journey in takeWaiting() { advance(journey) }
    }

    private func endRefresh(failure: SharedFailure) {
        refresh.fail(failure, at: loop.now)
        for journey in takeWaiting() { journey.completion(.failure(failure)) }
    }

    private func takeWaiting() -> [Journey] {
        defer { waiting = [] }
        return waiting
    }

    // MARK: Messages

    /// Any node will do: each gets all messages.
    public func listen(to channel: [UInt8], _ told: @escaping () -> Void) {
        guard let node = map.nodes.randomElement() ?? seeds.first else { return }
        subscriptions.listen(to: channel, at: node, told)
    }

    public func leave(_ channel: [UInt8]) { subscriptions.leave(channel) }

    public func close() {
        subscriptions.close()
        let all = links
        links = [:]
        for link in all.values { link.close() }
    }
}
