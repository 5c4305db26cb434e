import HTTPCore

extension CachingOptions {
    /// Whether a rule may have streams recorded: then a request for one may share the load of another (C-24.5).
    public var mayRecordStreams: Bool {
        for rule in rules.reversed() {
            guard let records = rule.recordsStreams else { continue }
            if records { return true }
            if !rule.isConditional { return false }
        }
        return questionRule != nil
    }

    /// The rule by which questions are answered, and their streams recorded; nil unless this is for questions.
    private var questionRule: CachingRule? {
        guard isForQuestions, let rule = contentKeyRule, rule.keyBody != .off else { return nil }
        return rule
    }

    /// The name of the rule that has this response recorded as a stream; nil: none does, or it is none.
    ///
    /// - Parameter applying: the rules that apply to the response.
    func recordingRule(_ applying: [CachingRule], _ type: MediaType?, _ fields: Fields) -> String? {
        let decided = applying.last { $0.recordsStreams != nil }
        guard decided?.recordsStreams ?? (questionRule != nil) else { return nil }
        let isStream = type?.isStream ?? false || fields.withValue(of: .incremental, ResponseMetadata.isTrue) ?? false
        return isStream ? (decided ?? questionRule)?.name : nil
    }
}

extension MediaType {
    /// Whether content of this type is used piece by piece: events, or lines of JSON.
    var isStream: Bool { Self.streams.contains(String(decoding: essence, as: UTF8.self)) }

    private static let streams: Set<String> = [
        "text/event-stream", "application/jsonl", "application/x-jsonl", "application/jsonlines",
        "application/x-jsonlines", "application/ndjson", "application/x-ndjson", "application/stream+json",
        "application/x-json-stream",
    ]
}
