import HTTPCaching
import HTTPCore
import Testing

/// Streams that rules have recorded (C-24.5).
@Suite("Recorded streams") struct StreamRecordingTests {
    private static let events = ("Content-Type", "Text/Event-Stream; charset=utf-8")

    private static func options(_ rules: CachingRule..., isForQuestions: Bool = false) -> CachingOptions {
        var options = CachingOptions()
        options.rules = rules
        options.isForQuestions = isForQuestions
        return options
    }

    private static let recording = CachingRule(name: "r", ttlSeconds: 60, recordsStreams: true)

    private func sharing(_ metadata: ResponseMetadata, _ options: CachingOptions) -> Sharing {
        metadata.sharing(for: get(), options: options)
    }

    @Test("without a rule an event stream is neither stored nor shared")
    func withoutRule() {
        let options = Self.options(CachingRule(name: "r", ttlSeconds: 60))
        let metadata = response([Self.events], options: options)
        #expect(storability(metadata, options: options) == .refuse(.eventStream))
        #expect(sharing(metadata, options) == .leaderOnly(.eventStream))
        #expect(!metadata.mayStay(isShared: true, options: options) && !options.mayRecordStreams)
    }

    @Test("by `record-streams` an event stream is stored and shared like any response, by its lifetime or the rule's")
    func byRule() {
        let options = Self.options(Self.recording)
        let metadata = response([Self.events], options: options)
        #expect(storability(metadata, options: options) == .store(.shared, .shareable))
        #expect(sharing(metadata, options) == .everyone && metadata.isRecordedStream)
        #expect(metadata.mayStay(isShared: true, options: options) && options.mayRecordStreams)
        let plain = Self.options(CachingRule(name: "r", recordsStreams: true))
        #expect(storability(response([Self.events], options: plain), options: plain).partition == nil)
        let lasting = response([Self.events, ("Cache-Control", "max-age=9")], options: plain)
        #expect(storability(lasting, options: plain).partition == .shared)
    }

    @Test(
        "what else the origin forbids stays forbidden",
        arguments: [("no-store", RefusalReason.noStore), ("private", .privateWithoutCredential)]
    )
    func forbidden(directive: String, reason: RefusalReason) {
        let options = Self.options(Self.recording)
        let metadata = response([Self.events, ("Cache-Control", directive)], options: options)
        #expect(storability(metadata, options: options) == .refuse(reason))
        #expect(sharing(metadata, options) != .everyone)
    }

    @Test(
        "streams are events, lines of JSON, and what is Incremental",
        arguments: [
            ("text/event-stream", true), ("application/x-ndjson", true), ("application/jsonl;a=b", true),
            ("application/x-jsonlines", true), ("application/jsonlines", true), ("application/x-jsonl", true),
            ("application/ndjson", true), ("application/x-json-stream", true),
            ("application/stream+json", true), ("application/json", false),
            ("text/event-streams", false), ("", false),
        ]
    )
    func types(type: String, isStream: Bool) {
        let options = Self.options(Self.recording)
        #expect(response([("Content-Type", type)], options: options).isRecordedStream == isStream)
        #expect(response([("Content-Type", type), ("Incremental", "?1")], options: options).isRecordedStream)
        #expect(sharing(response([("Incremental", "?1")], options: options), options) == .everyone)
    }

    @Test("`key-body` has the streams of questions recorded, unless a rule says otherwise; those of GET never")
    func questions() {
        let keyed = CachingRule(name: "k", ttlSeconds: 60, keyBody: .bytes)
        func isRecorded(_ options: CachingOptions) -> Bool {
            response([Self.events], options: options).isRecordedStream && options.mayRecordStreams
        }
        #expect(isRecorded(Self.options(keyed, isForQuestions: true)))
        #expect(!isRecorded(Self.options(keyed)))
        #expect(!isRecorded(Self.options(keyed, CachingRule(name: "n", recordsStreams: false), isForQuestions: true)))
        #expect(!isRecorded(Self.options(keyed, CachingRule(name: "n", keyBody: .off), isForQuestions: true)))
        #expect(!isRecorded(Self.options(CachingRule(name: "r", ttlSeconds: 60), isForQuestions: true)))
    }

    @Test("a rule may be for some streams only; the last rule counts")
    func conditions() {
        let lines = CachingRule(
            name: "lines",
            contentTypes: ["application/x-ndjson"].compactMap { MediaTypePattern($0) },
            recordsStreams: true
        )
        let options = Self.options(lines)
        #expect(!response([Self.events], options: options).isRecordedStream && options.mayRecordStreams)
        #expect(response([("Content-Type", "application/x-ndjson")], options: options).isRecordedStream)
        let cancelled = Self.options(Self.recording, CachingRule(name: "n", recordsStreams: false))
        #expect(!response([Self.events], options: cancelled).isRecordedStream && !cancelled.mayRecordStreams)
    }

    @Test(
        "the pace is the last rule's; only streams have one",
        arguments: [(.instant, nil), (.speed(1), 1), (.speed(4), 4), (.speed(0), nil)] as [(ReplayPace, Double?)]
    )
    func pace(pace: ReplayPace, factor: Double?) {
        let first = CachingRule(name: "first", recordsStreams: true, replayPace: .speed(9))
        let options = Self.options(first, CachingRule(name: "second", replayPace: pace))
        #expect(response([Self.events], options: options).applied?.replaySpeed == factor)
        #expect(response([("Content-Type", "text/plain")], options: options).applied?.replaySpeed == nil)
    }

    @Test("notes name the rules")
    func notes() {
        let pace = CachingRule(name: "pace", replayPace: .speed(4))
        let metadata = response([Self.events], options: Self.options(Self.recording, pace))
        let notes = metadata.ruleNotes(for: directives(""))
        #expect(notes.contains { $0.word == "record-streams" && $0.sentence.hasSuffix("by r") })
        let pacing = notes.first { $0.word == "replay-pace" }
        #expect(pacing?.sentence == "its pieces are sent 4.0 times as fast as they came, by pace")
    }
}
