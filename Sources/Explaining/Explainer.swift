import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore

/// Explains what a request would get, by the decisions that serve requests; changes nothing.
struct Explainer {
    let decider: Decider
    let request: ClientRequest
    /// The last response that was not stored.
    let unstored: UnstoredResponse?

    private var state: ResourceState { decider.state }
    private var context: ResourceContext { decider.context }

    var explanation: Explanation {
        let decision = decider.decision(for: request)
        if case .answer(.pass(let reason)) = decision, let blocked = blocked([reason.note(context)]) { return blocked }
        let (action, outcome, served) = result(of: decision)
        let ttlSeconds = outcome?.isHit == true ? served?.ttl(at: context.now) : nil
        return explanation(action, outcome, ttlSeconds: ttlSeconds, notes(decision))
    }

    /// For a request that a rule refuses; nil: none does.
    var denial: Explanation? {
        guard let denial = context.configuration.policies.denial else { return nil }
        let note = DecisionNote(
            Denial.detail,
            "\(denial.rule) refuses the request: \(denial.text)",
            "RFC 9110 §15.5.4",
            remedy: "`deny = false` in a later rule"
        )
        return explanation(.refuse, CacheOutcome(isHit: false, detail: Denial.detail), [note])
    }

    /// For a method other than GET and HEAD, which bypasses stored responses.
    var bypassExplanation: Explanation {
        let method = request.profile.method
        if let note = context.configuration.caching.contentKeyNote(for: method) {
            return explanation(.load, nil, [note])
        }
        var notes = [
            DecisionNote(
                ForwardReason.method.rawValue,
                "only GET and HEAD are answered from stored responses; \(method.text) goes to the origin",
                "RFC 9111 §4",
                remedy: "a GET"
            )
        ]
        if let blocked = blocked(notes) { return blocked }
        if !method.isSafe {
            notes.append(
                DecisionNote(
                    ValidationReason.invalidated.rawValue,
                    "if it succeeds, stored responses must be validated before they are used again",
                    "RFC 9111 §4.4"
                )
            )
        }
        return explanation(.pass, CacheOutcome(isHit: false, forward: .method), notes)
    }

    /// The result of a request that bypasses stored responses, if the origin may not be asked now; else nil.
    private func blocked(_ notes: [DecisionNote]) -> Explanation? {
        if let refusal = CacheRefusal(context.configuration.mode) {
            return explanation(.refuse, CacheOutcome(refusal), notes + [refusal.bypassNote])
        }
        let pause = context.pause
        let outage = pause == nil ? context.outage(for: request) : nil
        guard let failure = pause ?? outage.flatMap({ $0.mayAttempt ? nil : $0.failure() }) else { return nil }
        let error = ResourceError(failure, time: context.now)
        let why = [outage?.note, pause?.pauseNote(Origin(context.uri))].compactMap(\.self)
        return explanation(.fail, CacheOutcome(error), notes + why)
    }

    private func explanation(
        _ action: Explanation.Action,
        _ outcome: CacheOutcome?,
        ttlSeconds: Int64? = nil,
        _ notes: [DecisionNote]
    ) -> Explanation {
        Explanation(
            method: request.profile.method,
            uri: context.uri,
            service: context.effective.partName,
            rules: context.effective.sources.map(\.description),
            mode: context.configuration.mode,
            partitions: partitions,
            variants: state.variants.stored.map(explained),
            action: action,
            outcome: outcome,
            ttlSeconds: ttlSeconds,
            notes: ruleNotes + notes
        )
    }

    /// What rules do with the request before it is served.
    private var ruleNotes: [DecisionNote] {
        context.configuration.addedDescriptions.map { DecisionNote("rule", $0, "docs/traffic.md") }
    }

    private func result(of decision: Decision) -> (Explanation.Action, CacheOutcome?, StoredResponse?) {
        switch decision {
        case .serve(let stored, let outcome, let refreshes): (refreshes ? .serveAndRefresh : .serve, outcome, stored)
        case .load(let plan):
            (
                plan.offered.isEmpty ? .load : .validate,
                CacheOutcome(isHit: false, forward: plan.forward, detail: plan.reason), nil
            )
        case .join(let number, _):
            (.join, outcome(joining: number), nil)
        // The store was asked before.
        case .lookUp: (.load, CacheOutcome(isHit: false, forward: .uriMiss), nil)
        case .answer(.stored(let stored, let outcome)): (.serve, outcome, stored)
        case .answer(.following(_, let outcome)), .answer(.assembling(_, _, let outcome)): (.join, outcome, nil)
        case .answer(.pass(let reason)):
            (.pass, CacheOutcome(isHit: false, forward: .bypass, detail: reason.rawValue), nil)
        case .answer(.failure(let error)): (.fail, CacheOutcome(error), nil)
        case .answer(.refused(let reason)): (.refuse, CacheOutcome(reason), nil)
        }
    }

    private func outcome(joining number: UInt64) -> CacheOutcome? {
        guard let record = state.loads[number] else { return nil }
        return record.received?.response.isComplete == true ? .hit : record.outcome(isCollapsed: true)
    }

    // MARK: Partitions and variants

    private var partitions: [(name: String, fields: [String])] {
        let credentials = context.configuration.caching.credentials
        var names: [String] = []
        for line in request.fields.lines {
            let name = request.fields.name(of: line)
            guard credentials.contains(name.map(\.asciiLowercased)) else { continue }
            names.append(String(decoding: name, as: UTF8.self))
        }
        var found: [(String, [String])] = []
        let partitions = request.partitions
        if request.bearsServiceCredential {
            if partitions.own != partitions.common { found.append((PartitionClass.personal.text, names)) }
            return found + [("the service's own", [])]
        }
        if partitions.own != nil {
            found.append((names.isEmpty ? "private, without credential" : PartitionClass.personal.text, names))
        }
        if partitions.credential != nil, partitions.credential != partitions.own {
            found.append((PartitionClass.credential.text, names.filter { $0.lowercased() != "cookie" }))
        }
        let looksIntoCommon = partitions.common != partitions.own && partitions.common != partitions.credential
        return looksIntoCommon ? found + [(PartitionClass.shared.text, [])] : found
    }

    private func explained(_ stored: StoredResponse) -> Explanation.Variant {
        let classes: [PartitionClass] = [.personal, .credential, .shared]
        let age = stored.currentAge(at: context.now)
        var notes = [stored.extent?.note, stored.streamNote].compactMap(\.self)
        if stored.isLocal {
            notes.append(DecisionNote("override", "a local override replaces the origin's content", "RFC 9111 §3"))
        } else {
            let decision = stored.metadata.decision(
                for: request.directives,
                ageSeconds: age,
                isInvalidated: stored.isInvalidated
            )
            if let note = stored.partitionNote(of: request, context.configuration.caching) { notes.append(note) }
            notes.append(stored.metadata.lifetimeNote)
            notes += stored.metadata.ruleNotes(for: request.directives)
            notes.append(stored.metadata.note(of: decision, for: request.directives, ageSeconds: age))
        }
        return Explanation.Variant(
            stored: stored,
            partition: request.partitions.rank(of: stored.partition).map { classes[min($0, 2)].text },
            differsIn: differences(stored),
            notes: notes,
            ageSeconds: age
        )
    }

    /// The names in its Vary whose fields differ in the request.
    private func differences(_ stored: StoredResponse) -> [String] {
        let vary = stored.metadata.vary
        let asked = context.selection(vary, request.fields)
        guard stored.selection != asked else { return [] }
        let parts = SelectionPart.all(of: stored.selection) ?? []
        let differing = (SelectionPart.all(of: asked) ?? []).filter { !parts.contains($0) }
        return differing.map { String(decoding: $0.name, as: UTF8.self) }
    }

    // MARK: Reasons

    private func notes(_ decision: Decision) -> [DecisionNote] {
        let caching = context.configuration.caching
        var notes = caching.keying.notes
        if let note = context.uri.questionMethod.flatMap({ caching.contentKeyNote(for: $0) }) { notes.append(note) }
        if let crowd = decider.crowd(seenBy: request) { notes.append(crowd.note) }
        if let until = state.outcomes.hitForMissUntil, until > context.now {
            notes.append(
                DecisionNote(
                    "not-collapsed",
                    "a recent response may not be shared: for \(until.wholeSeconds(since: context.now) + 1) s "
                        + "at most, requests do not wait for each other",
                    "RFC 9111 §4",
                    remedy: "the next response that may be stored"
                )
            )
        }
        switch decision {
        case .serve(let stored, let outcome, let refreshes):
            if let refusal = CacheRefusal(context.configuration.mode) {
                notes.append(refusal.note(servesStored: true))
            } else if outcome.detail == OriginOutage.detail, let outage = context.outage(for: request) {
                notes.append(outage.note)
            } else {
                let all = explained(stored).notes
                notes += all.dropLast().filter { $0.word == outcome.detail } + all.suffix(1)
                if outcome.detail == Self.refreshed, !refreshes { notes += refreshObstacles }
            }
        case .answer(let result): notes += self.notes(result)
        case .lookUp: break
        case .join(let number, _):
            notes.append(
                DecisionNote("collapsed", "load \(number) is under way, and the request may share it", "RFC 9111 §4")
            )
        case .load(let plan): notes += self.notes(plan)
        }
        return notes
    }

    /// The word for a response that is refreshed while it is served.
    private static let refreshed = "stale-while-revalidate"

    /// Why nothing is refreshed in the background.
    private var refreshObstacles: [DecisionNote] {
        [context.outage(for: request)?.note, context.pause?.pauseNote(Origin(context.uri))]
            .compactMap(\.self)
    }

    private func notes(_ result: CacheResult) -> [DecisionNote] {
        switch result {
        case .stored(_, let outcome):
            [StaleReason(rawValue: outcome.detail ?? "")?.note].compactMap { $0 } + remembered
        case .following, .assembling: []
        case .pass(let reason): [reason.note(context)]
        case .failure(let error): error.outage.map { [$0.note] } ?? remembered
        case .refused(let reason):
            [reason.note(servesStored: false)]
                + state.variants.matches(request, context).prefix(1).flatMap { stored in
                    let notes = explained(stored).notes
                    return stored.answers(request, context) ? notes.suffix(1) : notes.prefix(1)
                }
        }
    }

    /// Why no load is made: a load failed, or the origin asked for a pause.
    private var remembered: [DecisionNote] {
        guard let failure = state.outcomes.failure(of: request, context) else {
            return [context.pause?.pauseNote(Origin(context.uri))].compactMap(\.self)
        }
        let error = failure.error
        let kind = error.kind.map { $0.rawValue } ?? "status \(error.status)"
        let seconds = context.now.wholeSeconds(since: error.time)
        let start = "the last load failed \(seconds) s ago: \(kind); "
        if let until = failure.pausedUntil {
            let rest = (until - context.now).secondsRoundedUp
            return [
                DecisionNote(
                    "remembered-failure",
                    start + "its Retry-After is honoured for \(rest) s more",
                    "RFC 9111 §4.2.4",
                    remedy: ExchangeFailure.remedyOfPause
                )
            ]
        }
        return [
            DecisionNote(
                "remembered-failure",
                start + "it is remembered for \(context.configuration.retryTime)",
                "RFC 9111 §4.2.4",
                remedy: "time, or the setting upstream.retry-time"
            )
        ]
    }

    private func notes(_ plan: LoadPlan) -> [DecisionNote] {
        let word = plan.forward.rawValue
        let variants = state.variants
        let unstored = unstored.map { [$0.note(at: context.now)] } ?? []
        if plan.forward == .partial { return partNotes(plan) + unstored }
        if let selected = plan.offered.first ?? variants.matches(request, context).first {
            let notes = explained(selected).notes.suffix(1)
            return notes + (plan.offered.isEmpty ? unstored : [])
        }
        if plan.forward == .varyMiss {
            let visible = variants.stored.map(explained).filter { $0.partition != nil }
            let names = Set(visible.flatMap(\.differsIn)).sorted().joined(separator: ", ")
            return [
                DecisionNote(
                    word,
                    visible.count == 1
                        ? "one variant is stored, and the request differs from it in \(names)"
                        : "\(visible.count) variants are stored, and the request differs from each in \(names)",
                    "RFC 9111 §4.1",
                    remedy: "a request with the same fields, or another Vary of the origin"
                )
            ]
        }
        if !variants.isEmpty, state.isKeyed {
            return unstored + [
                DecisionNote(
                    word,
                    "the stored responses have another key, or belong to another credential",
                    "RFC 9111 §2"
                )
            ]
        }
        if !variants.isEmpty {
            let keepsApart = context.configuration.caching.keepsCookiesApart(for: request.profile)
            return unstored + [
                DecisionNote(
                    word,
                    request.partitions.own == nil
                        ? "the stored responses belong to requests with credentials"
                        : "the stored responses belong to another credential",
                    "RFC 9111 §3.5",
                    remedy: "public, must-revalidate or s-maxage of the origin, or a request with the same credential"
                        + (keepsApart ? "; if they differ only in Cookie, cache.cookies = \"share\"" : "")
                )
            ]
        }
        return [
            DecisionNote(
                word,
                "nothing is stored for this URI" + (unstored.isEmpty ? ", and no response to it is remembered" : ""),
                "RFC 9111 §4",
                remedy: "a response that may be stored"
            )
        ] + unstored
    }

    /// Why the stored parts are not enough, and how they are used.
    private func partNotes(_ plan: LoadPlan) -> [DecisionNote] {
        let word = plan.forward.rawValue
        if let prefix = plan.prefix, let extent = prefix.extent {
            return [
                DecisionNote(
                    word,
                    "\(extent.sentence); the rest is requested, and completes it if the origin sends the same strong entity tag",
                    "RFC 9111 §3.4"
                )
            ]
        }
        if let hole = plan.hole, let extent = plan.part?.extent {
            return [
                DecisionNote(
                    word,
                    "\(extent.sentence); \(hole.lowerBound)-\(hole.upperBound - 1) is requested next, and added if the origin sends the same strong entity tag",
                    "RFC 9111 §3.4"
                )
            ]
        }
        return state.variants.matches(request, context).compactMap(\.extent).map { extent in
            DecisionNote(
                word,
                "\(extent.sentence), which does not answer the request",
                "RFC 9111 §3.3",
                remedy: "a range inside that, or a request for the whole"
            )
        }
    }
}

extension StoredResponse {
    /// How the content came; nil unless its pieces are recorded.
    fileprivate var streamNote: DecisionNote? {
        let (pieces, milliseconds) = (pieces.count, pieces.milliseconds)
        guard pieces > 0 else { return nil }
        let seconds = "\(milliseconds / 1000).\(milliseconds % 1000 / 100)"
        let count = pieces == 1 ? "1 piece" : "\(pieces) pieces"
        return DecisionNote("stream", "a stream of \(count) within \(seconds) s is stored", "RFC 9111 §3")
    }
}

extension ContentExtent {
    fileprivate var note: DecisionNote { DecisionNote("part", sentence, "RFC 9111 §3.3") }

    /// For a person.
    fileprivate var sentence: String {
        let members = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
        let shown =
            members.prefix(5).joined(separator: ", ")
            + (members.count > 5 ? " and \(members.count - 5) more ranges" : "")
        return
            "\(shown.isEmpty ? "no bytes" : "bytes \(shown)") of \(total.map { "\($0)" } ?? "an unknown number") are stored"
    }
}

extension PartitionClass {
    var text: String {
        switch self {
        case .shared: "shared"
        case .credential: "credential"
        case .personal: "personal"
        }
    }
}
