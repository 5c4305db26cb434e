import Configurations
import ResourceDoubles
import TestDoubles
import TestSupport

/// A random course of events around files of which a proxy has parts; the reference model judges each answer.
final class PartSequence {
    /// One URL.
    struct Site {
        let path: String
        var model: ReferenceParts
        /// What the origin says about its files.
        let hasDates: Bool
        let hasDigests: Bool
        let length: Int
        /// The requests of its exchanges.
        var causes: [Int: Int] = [:]
    }

    /// A request to the origin that it has not answered yet, or not to its end.
    struct Open {
        let exchange: ScriptedExchange
        let site: Int
        let asked: ReferenceParts.Exchange
        /// Once the head was sent.
        var answer: OriginAnswer?
        var file: ReferenceFile?
        var sent = 0
        /// After so many bytes it breaks.
        var cut: Int?
    }

    let proxy: QuietProxy
    let lifetime: Int
    var random: FixedRandom
    var sites: [Site] = []
    var open: [Open] = []
    /// When the first exchange of each request that was cut began.
    var broken: [Int: Int] = [:]
    /// How often in a row a response to this request broke without another byte.
    var emptyCuts: [Int: Int] = [:]
    var clients: [(site: Int, client: QuietClient)] = []
    var idle: [QuietConnection] = []
    var requests: [Int: (site: Int, request: ReferenceRequest)] = [:]
    let isTold: Bool
    var shown: [String: String] = [:]
    /// What happened, for people.
    private(set) var trace: [String] = []
    /// The first thing that must not be.
    private(set) var violation: String?
    /// How many answers were whole.
    var answers = 0
    /// How often the origin is still to be away.
    var absences = 0

    /// - Parameter isTold: whether there is to be a trace.
    init(seed: UInt64, in directory: TemporaryDirectory, isTold: Bool = false) throws {
        random = FixedRandom(seed: seed)
        self.isTold = isTold
        lifetime = random.pick([5, 60, 60, 600]) * 1000
        var configuration = Configuration()
        // With a store, most parts are in files.
        let store = random.chance(70) ? MemoryVariantStore() : nil
        if random.chance(50) { configuration.body.inMemory = 200 }
        proxy = try QuietProxy(in: directory, store: store, configuration: configuration)
        for path in ["/a", "/b"].prefix(1 + random.next(2)) {
            let length = random.pick([100, 700, 4000])
            let (hasDates, hasDigests) = (random.chance(60), random.chance(40))
            let model = ReferenceParts(lifetime: lifetime)
            sites.append(Site(path: path, model: model, hasDates: hasDates, hasDigests: hasDigests, length: length))
            addFile(to: sites.count - 1)
        }
    }

    func run(steps: Int) throws {
        for _ in 0..<steps where violation == nil { try step() }
        settle()
        for site in sites.indices where violation == nil { ask(site) { _ in } }
        settle()
        for site in sites.indices where violation == nil { changeAmidLoads(site) }
        settle()
    }

    private func step() throws {
        let site = random.next(sites.count)
        switch random.next(100) {
        case 0..<38: requestSomething(site)
        case 38..<78: if !open.isEmpty { answerSomething(random.next(open.count)) }
        case 78..<82: leave()
        case 82..<86:
            addFile(to: site)
        case 86..<88: purge(site)
        case 88..<89:
            note("\(sites[site].path) is invalidated")
            sites[site].model.invalidate()
            proxy.resource(sites[site].path)?.invalidate()
        case 89..<92: leaveMemory()
        case 92..<93: try restart()
        case 93..<96: advance(by: random.pick([100, 260, 1100, 2100]))
        case 96..<97: advance(by: random.pick([6, 31, 61, 301]) * 1000)
        default: settle()
        }
        run()
    }

    func note(_ text: @autoclosure () -> String) {
        if isTold { trace.append("\(proxy.now % 100_000_000): \(text())") }
    }

    func forbid(_ text: String) {
        note("FORBIDDEN: \(text)")
        violation = violation ?? text
    }

    // MARK: What else happens

    func purge(_ site: Int) {
        note("\(sites[site].path) is purged")
        sites[site].model.purge()
        proxy.resource(sites[site].path)?.purge()
    }

    private func leaveMemory() {
        note("memory is needed")
        for site in sites.indices { sites[site].model.leaveMemory(hasStore: proxy.store != nil) }
        proxy.leaveMemory()
    }

    private func restart() throws {
        settle()
        note("restart")
        (idle, clients) = ([], [])
        for site in sites.indices { sites[site].model.leaveMemory(hasStore: proxy.store != nil) }
        try proxy.restart()
    }

    func advance(by milliseconds: Int) {
        note("\(milliseconds) ms later")
        proxy.advance(by: .milliseconds(milliseconds))
    }

    /// The origin answers all as it should, until nobody waits.
    private func settle() {
        note("the origin answers")
        for _ in 0..<200 where violation == nil && !(open.isEmpty && clients.isEmpty) {
            while violation == nil, !open.isEmpty {
                finish(0)
                run()
            }
            if violation == nil, !clients.isEmpty { advance(by: 2100) }
            run()
        }
        if let waiting = clients.first, violation == nil {
            forbid("client \(waiting.client.request.number) waits for good")
        }
    }

    // MARK: What the proxy does

    /// Runs the proxy until it waits, and judges what it did.
    func run() {
        proxy.run { [unowned self] in
            var didRead = false
            for (_, client) in clients where client.read() { didRead = true }
            return didRead
        }
        if isTold { noteStored() }
        for started in proxy.provider.take() { begin(started) }
        open.removeAll { $0.exchange.isCancelled }
        for index in clients.indices.reversed() {
            let (site, client) = clients[index]
            guard let reply = client.reply else { continue }
            clients.remove(at: index)
            if let connection = client.connection, !connection.hasEnded { idle.append(connection) }
            judge(reply, to: client.request, site)
        }
    }

    private func begin(_ started: SortingProvider.Started) {
        let exchange = started.exchange
        let number = exchange.request.fields.values(named: Array("x-request-number".utf8)).first.flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard let number, let (site, request) = requests[number] else { return forbid("a request that nobody made") }
        var asked = ReferenceParts.Exchange(order: sites[site].model.next(), time: proxy.now, request: request)
        (asked.isResumed, asked.isPass) = (started.receiver == .resumption, started.receiver == .client)
        (asked.range, asked.ifRange) = (exchange.value(of: .range), exchange.value(of: .ifRange))
        asked.isValidation = exchange.value(of: .ifNoneMatch) != nil || exchange.value(of: .ifModifiedSince) != nil
        asked.root = asked.isResumed ? broken[number] ?? 0 : asked.order
        sites[site].causes[asked.order] = number
        note("exchange \(asked.order) for \(number), \(started.receiver): \(asked.range ?? "") \(asked.ifRange ?? "")")
        if let objection = sites[site].model.objection(to: asked, at: proxy.now) {
            forbid("exchange \(asked.order) for \(number): \(objection)")
        }
        open.append(Open(exchange: exchange, site: site, asked: asked))
    }
}
