// Nothing is imported here: arrays of what a cache has, which share no code with what they judge.

/// What a cache may give clients of one URL, and what it may ask the origin for (C-22.1 to C-22.4).
///
/// It notes what the origin says, in order. For each byte of the file it knows whether the cache must have it.
struct ReferenceParts {
    /// One request to the origin.
    struct Exchange {
        /// Its place in the order of events.
        let order: Int
        let time: Int
        let request: ReferenceRequest
        /// Whether it goes on with a load that was cut, and when that began.
        var isResumed = false
        var root = 0
        /// Whether its response is sent to one client, and kept by nobody.
        var isPass = false
        var range: String?
        var ifRange: String?
        /// Whether it asks if a stored response is still right.
        var isValidation = false
    }

    /// What keeps a client from a whole answer.
    enum Trouble: CaseIterable {
        /// The origin cannot be reached, or does not send what it announced.
        case failure
        /// The origin has another file than before.
        case change
        /// The origin sends the whole, fewer bytes, or 416 in place of the range.
        case whole, short, unsatisfiable
        /// The origin's numbers contradict each other.
        case lie
        /// What was stored is dropped.
        case purge
    }

    private struct Head {
        let file: Int
        let order: Int
        let time: Int
        /// When its exchange began, in the order of events, and when it was sent.
        let begin: Int
        let sentAt: Int
    }

    private(set) var files: [ReferenceFile] = []
    private(set) var order = 0
    private let lifetime: Int
    private var heads: [Head] = []
    /// Wholes that are stored: nothing older is served to those that come later.
    private var stored: [(file: Int, order: Int, begin: Int)] = []
    private(set) var refusals: [(file: Int, order: Int)] = []
    private var lastTrouble: [Trouble: Int] = [:]
    private var lastFailureTime = Int.min / 2
    /// When everything was dropped, and when everything was dropped or had to be validated from then on.
    private var lastPurge = 0
    private var resets = [0]
    /// The newest request of a load whose response is complete.
    private var lastCompleted = 0
    private(set) var held = ReferenceHeld()

    /// - Parameter lifetime: how long responses are fresh, in milliseconds.
    init(lifetime: Int) { self.lifetime = lifetime }

    // MARK: What happens

    /// The next place in the order of events.
    mutating func next() -> Int {
        order += 1
        return order
    }

    var current: ReferenceFile { files[files.count - 1] }

    /// From now on the origin has this file.
    mutating func add(_ file: ReferenceFile) { files.append(file) }

    /// - Parameter exchange: where it came; what it was to add bytes to may be dropped.
    mutating func note(_ trouble: Trouble, in exchange: Exchange? = nil, at time: Int) {
        lastTrouble[trouble] = next()
        // What completes a first part must bring all the rest: a shorter one makes the cache ask for the whole.
        let isRest = trouble != .short || exchange.map { !$0.isPass && $0.range?.hasSuffix("-") ?? false } ?? false
        if isRest, exchange?.ifRange != nil { held.forget() }
        if trouble == .failure || trouble == .lie { lastFailureTime = time }
    }

    /// The origin has begun to answer with the bytes `range` of `file`, nil: with several ranges.
    mutating func begins(_ exchange: Exchange, _ file: ReferenceFile, _ range: Range<Int>?, at time: Int) {
        let place = next()
        if let range, !exchange.isPass { held.brings(range, exchange.root) }
        if !isOnly(file) {
            lastTrouble[.change] = place
            held.forget()
        }
        heads.append(Head(file: file.number, order: place, time: time, begin: exchange.root, sentAt: exchange.time))
    }

    /// Whether no other file than this one can be in the cache.
    private func isOnly(_ file: ReferenceFile) -> Bool {
        if let known = held.file { return known.number == file.number }
        return !heads.contains { $0.begin > lastPurge && $0.file != file.number }
    }

    /// The origin has said 304 about `file`.
    mutating func validates(_ exchange: Exchange, _ file: ReferenceFile, at time: Int) {
        let place = next()
        for known in files where known.isValidated(by: file) {
            heads.append(
                Head(file: known.number, order: place, time: time, begin: exchange.root, sentAt: exchange.time)
            )
        }
    }

    /// The origin has said 416 about `file`.
    mutating func refuses(_ file: ReferenceFile) { refusals.append((file.number, next())) }

    /// A response is complete: the bytes `range` of `file`, nil: all.
    mutating func completes(_ exchange: Exchange, _ file: ReferenceFile, _ range: Range<Int>?) {
        let place = next()
        guard !exchange.isPass, !exchange.request.isHead, exchange.root > resets[resets.count - 1] else { return }
        let isDoubtful = files.contains { $0.contradicts(file) }
        let until = exchange.isResumed ? 0 : exchange.time + lifetime - 1000
        if range == nil, !isDoubtful {
            let isNewest =
                heads.allSatisfy { $0.file == file.number || $0.begin < exchange.root }
                && (file.isStrong || lastCompleted < exchange.root)
            stored.append((file.number, place, exchange.root))
            if isNewest { held.hold(whole: file, exchange.root, until: until) }
        } else if let range, !isDoubtful, isOnly(file) {
            held.hold(range, of: file, exchange.root, until: until)
        }
        lastCompleted = max(lastCompleted, exchange.root)
    }

    /// Everything is dropped; what began before is not kept.
    mutating func purge() {
        lastPurge = next()
        resets.append(order)
        lastTrouble[.purge] = order
        held = ReferenceHeld()
    }

    /// Everything must be validated; what began before is not kept.
    mutating func invalidate() {
        resets.append(next())
        held.expire()
    }

    /// What is in memory only is dropped.
    mutating func leaveMemory(hasStore: Bool) {
        if hasStore { held.readAgain() } else { held.forget() }
    }

    // MARK: What is allowed

    /// Why the cache may not ask the origin for this; nil if it may.
    func objection(to exchange: Exchange, at time: Int) -> String? {
        guard exchange.request.isPlain, !exchange.isValidation, !exchange.isResumed, held.isFresh(at: time),
            let file = held.file
        else { return nil }
        // A response of another file that has begun needs its rest.
        if let tag = exchange.ifRange, tag != file.tag { return nil }
        // It has waited for a response that is not for it.
        if exchange.isPass, heads.contains(where: { $0.order > exchange.request.order }) { return nil }
        let asked = ReferenceRanges(exchange.range, length: file.bytes.count).wanted ?? [0..<file.bytes.count]
        if let byte = held.first(in: asked) { return "it has byte \(byte), and asks for it again" }
        if asked.isEmpty || held.isEmpty || exchange.isPass || exchange.ifRange == file.tag { return nil }
        return "it asks for more bytes without If-Range"
    }

    /// Whether something came amid a request that keeps its client from a whole answer.
    func hadTrouble(_ request: ReferenceRequest, _ kinds: [Trouble] = Trouble.allCases) -> Bool {
        kinds.contains { lastTrouble[$0].map { $0 > request.order } ?? false }
    }

    /// Whether a failure is remembered at the time of the request.
    func remembersFailure(_ request: ReferenceRequest) -> Bool { request.time - lastFailureTime <= 1100 }

    /// Whether a response of `file` may serve `request`: it is fresh, or came after the request, and nothing replaced
    /// it.
    func mayServe(_ file: ReferenceFile, to request: ReferenceRequest) -> Bool {
        let reset = resets.last { $0 < request.order } ?? 0
        return heads.contains { head in
            guard head.file == file.number, head.begin > reset else { return false }
            if request.isReload { return head.sentAt >= request.time }
            if head.order > request.order { return true }
            guard head.time + lifetime + 1000 > request.time else { return false }
            return !stored.contains {
                $0.file != file.number && $0.order < request.order && $0.begin > head.begin && $0.begin > reset
            }
        }
    }
}
