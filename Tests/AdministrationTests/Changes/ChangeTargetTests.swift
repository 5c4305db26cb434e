import HTTPCaching
import JSON
import Testing

/// What is said of a change whose target is wrong.
@Suite struct ChangeTargetTests {
    private static let uri = #""uri":"http://h.example/""#

    private static func ask(_ path: String, _ json: String) throws -> (status: Int, detail: String?) {
        let answer = try TestAdmin().post(path, json)
        return (answer.status, try JSONReader.parse(answer.content)["detail"]?.text)
    }

    @Test(
        "a change with no target, or with two, is refused, and the detail says what to give",
        arguments: [
            ("/v1/purge", "{}", #"$: needs "uri", "tags" or "filter""#),
            ("/v1/wipe", "{}", #"$: needs "uri" or "filter""#),
            ("/v1/invalidate", #"{"dryRun":true}"#, #"$: needs "uri" or "filter""#),
            (
                "/v1/purge", "{\(uri),\"tags\":[\"news\"]}",
                #"$.tags: stands beside "uri" or "filter"; give one of them"#
            ),
            (
                "/v1/purge", #"{"filter":"**","tags":["news"]}"#,
                #"$.tags: stands beside "uri" or "filter"; give one of them"#
            ),
            ("/v1/wipe", "{\(uri),\"filter\":\"**\"}", #"$.filter: stands beside "uri"; give one of them"#),
        ] as [(String, String, String)]
    )
    func choice(path: String, json: String, sentence: String) throws {
        let (status, detail) = try Self.ask(path, json)
        #expect(status == 400 && detail == "the content is wrong at \(sentence)")
    }

    @Test(
        "a wrong URL or filter is refused, and the detail says what it must be",
        arguments: [
            (#"{"uri":"/x"}"#, "$.uri: must be an absolute http or https URL"),
            (#"{"uri":"ftp://h.example/"}"#, "$.uri: must be an absolute http or https URL"),
            (#"{"uri":5}"#, "$.uri: must be text, not a whole number"),
            (#"{"filter":""}"#, "$.filter: must not be empty; ** is everything"),
            (#"{"filter":"h.example status:404"}"#, "$.filter: must be about URLs only here"),
            (#"{"filter":"state:stale"}"#, "$.filter: must be about URLs only here"),
        ]
    )
    func values(json: String, sentence: String) throws {
        for path in ["/v1/purge", "/v1/wipe", "/v1/invalidate"] {
            let (status, detail) = try Self.ask(path, json)
            #expect(status == 400 && detail == "the content is wrong at \(sentence)", "\(path)")
        }
    }

    private static func tags(_ names: [String]) -> String {
        "{\"tags\":[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    }

    @Test("a purge names 1 to 256 tags", arguments: [(0, false), (1, true), (256, true), (257, false)])
    func tagCount(count: Int, isAccepted: Bool) throws {
        let (status, detail) = try Self.ask("/v1/purge", Self.tags((0..<count).map { "tag-\($0)" }))
        #expect(status == (isAccepted ? 200 : 400))
        #expect(detail == (isAccepted ? nil : "the content is wrong at $.tags: must have 1 to 256 tags"))
    }

    @Test(
        "a tag has 1 to 1024 visible characters or blanks of ASCII; the fault names its place in the list",
        arguments: [
            ("", false), (" ~", true), ("a\\u001f", false), ("a\\u007f", false), ("\u{E9}", false),
            (String(repeating: "a", count: CacheTag.lengthLimit), true),
            (String(repeating: "a", count: CacheTag.lengthLimit + 1), false),
        ]
    )
    func tagText(text: String, isAccepted: Bool) throws {
        let (status, detail) = try Self.ask("/v1/purge", Self.tags(["news", text]))
        #expect(status == (isAccepted ? 200 : 400), "\(detail ?? "")")
        let sentence = "$.tags[1]: must have 1 to 1024 characters of ASCII, no control characters"
        #expect(detail == (isAccepted ? nil : "the content is wrong at \(sentence)"))
    }
}
