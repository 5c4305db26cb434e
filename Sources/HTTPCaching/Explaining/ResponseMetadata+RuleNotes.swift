import HTTPCore

/// Explanations of the changes that rules made for a response, by the names of settings.
extension ResponseMetadata {
    /// Explains each change.
    ///
    /// - Parameter directives: the directives of the request to explain.
    public func ruleNotes(for directives: RequestDirectives) -> [DecisionNote] {
        guard let applied else { return [] }
        var notes: [DecisionNote] = []
        if let rule = applied.liftedBy {
            notes.append(
                DecisionNote(
                    "cache-even",
                    "\(Self.list(applied.lifted.words)) in the response is ignored, by \(rule); the response to a "
                        + "credential stays with that credential",
                    "RFC 9111 §5.2.2",
                    remedy: "cache-even in \(rule)"
                )
            )
        }
        if let window = applied.staleWhileRevalidate {
            notes.append(Self.window("stale-while-revalidate", window, "RFC 5861 §3"))
        }
        if let window = applied.staleIfError { notes.append(Self.window("stale-if-error", window, "RFC 5861 §4")) }
        if let percent = applied.refreshAhead, let rule = applied.refreshAheadBy {
            notes.append(
                DecisionNote(
                    "refresh-ahead",
                    "a use in the last \(percent) % of the lifetime makes us validate in the background, by \(rule)",
                    "RFC 9111 §4.3",
                    remedy: "refresh-ahead in \(rule)"
                )
            )
        }
        notes += varyNotes(applied)
        if let policy = applied.setCookie, let rule = applied.setCookieBy {
            notes.append(
                DecisionNote(
                    "set-cookie",
                    "\(policy.sentence), by \(rule)",
                    "RFC 9111 §7.3",
                    remedy: "set-cookie in \(rule)"
                )
            )
        }
        notes += Self.streamNotes(applied)
        if directives.isReload, let rule = applied.clientNoCacheIgnoredBy {
            notes.append(CachingRule.ignoringNote(rule))
        }
        return notes
    }

    private func varyNotes(_ applied: AppliedRules) -> [DecisionNote] {
        var notes: [DecisionNote] = []
        if !applied.varyNames.isEmpty {
            let (names, rules) = (Self.list(applied.varyNames.map(Self.text)), Self.list(applied.varyAddedBy))
            notes.append(
                DecisionNote(
                    "vary-add",
                    "\(names) selects, too, by \(rules)",
                    "RFC 9111 §4.1",
                    remedy: "vary-add in \(rules)"
                )
            )
        }
        if !applied.varyIgnored.isEmpty {
            let (names, rules) = (Self.list(applied.varyIgnored.map(Self.text)), Self.list(applied.varyIgnoredBy))
            notes.append(
                DecisionNote(
                    "vary-ignore",
                    "\(names) in Vary does not select, by \(rules)",
                    "RFC 9111 §4.1",
                    remedy: "vary-ignore in \(rules)"
                )
            )
        }
        return notes
    }

    private static func streamNotes(_ applied: AppliedRules) -> [DecisionNote] {
        guard let rule = applied.recordedBy else { return [] }
        let recording = DecisionNote(
            "record-streams",
            "a complete stream is stored, and identical requests join it, by \(rule)",
            "RFC 9111 §3",
            remedy: "record-streams in \(rule)"
        )
        guard let speed = applied.replaySpeed, let rule = applied.replaySpeedBy else { return [recording] }
        let pace = speed == 1 ? "as they came" : "\(speed) times as fast as they came"
        let sending = DecisionNote(
            "replay-pace",
            "its pieces are sent \(pace), by \(rule)",
            "RFC 9111 §4",
            remedy: "replay-pace in \(rule)"
        )
        return [recording, sending]
    }

    private static func window(_ name: String, _ window: AppliedRules.Seconds, _ section: String) -> DecisionNote {
        DecisionNote(
            name,
            "the window is \(window.seconds) s, by \(window.rule)",
            section,
            remedy: "\(name) in \(window.rule)"
        )
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}

extension CachingRule {
    static func ignoringNote(_ rule: String) -> DecisionNote {
        DecisionNote(
            "ignore-client-no-cache",
            "the request asks for a reload, which is ignored, by \(rule)",
            "RFC 9111 §5.2.1.4",
            remedy: "ignore-client-no-cache in \(rule)"
        )
    }
}

extension SetCookiePolicy {
    fileprivate var sentence: String {
        switch self {
        case .careful: "Set-Cookie is shared only with a stated lifetime, and if the request had no credential"
        case .refuse: "a response with Set-Cookie is not stored"
        case .reuse: "Set-Cookie is stored and reused as any field"
        case .private: "a response with Set-Cookie is for the credential of its request"
        case .strip: "Set-Cookie is removed"
        }
    }
}

extension Keying {
    /// Explains what belongs to the key besides the URI, and by which rules.
    public var notes: [DecisionNote] {
        var notes: [DecisionNote] = []
        if !fields.isEmpty {
            let names = fields.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
            let rules = fieldRules.joined(separator: ", ")
            notes.append(
                DecisionNote(
                    "key-header",
                    "the request's \(names) is part of the key, by \(rules)",
                    "RFC 9111 §2",
                    remedy: "key-header in \(rules)"
                )
            )
        }
        if let rule = partitionRule, let sentence = partition.sentence {
            notes.append(
                DecisionNote("partition", "\(sentence), by \(rule)", "RFC 9111 §2", remedy: "partition in \(rule)")
            )
        }
        return notes
    }
}

extension RulePartition {
    fileprivate var sentence: String? {
        switch self {
        case .shared: nil
        case .credential: "each credential has its own responses"
        case .user: "each user of a login has their own responses"
        case .named(let name): "responses are stored under the name \(name), apart from others"
        }
    }
}
