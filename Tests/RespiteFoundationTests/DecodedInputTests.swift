import Foundation
import HTTPCore
import ResourceCore
import ResourceModel
import Testing

@testable import RespiteFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct User: Codable, Sendable, Equatable {
    var name: String
}

@Suite("What is decoded, and what is not")
struct DecodedInputTests {
    // MARK: Content

    @Test("content is the same if it is equal in all parts; then it is not decoded again")
    func sameContent() {
        let contents: [any Sendable] = [
            [1] as [UInt8], [2] as [UInt8], "a", "b", 1, 2, 1.5, 2.5, true, false, JSONNull(),
            [:] as [String: any Sendable], ["a": 1] as [String: any Sendable], ["a": 2] as [String: any Sendable],
            ["b": 1] as [String: any Sendable], ["a": 1, "b": 1] as [String: any Sendable],
            ["a": [1, ["c": JSONNull()] as [String: any Sendable]] as [any Sendable]] as [String: any Sendable],
            [] as [any Sendable], ["x"] as [any Sendable], ["y"] as [any Sendable], ["x", "y"] as [any Sendable],
            ["y", "x"] as [any Sendable],
        ]
        for (index, content) in contents.enumerated() {
            let same = contents.indices.filter { DecodableContent.isSame(content, contents[$0]) }
            #expect(same == [index], "\(content)")
        }
        #expect(!DecodableContent.isSame(User(name: "a"), User(name: "a")))
    }

    // MARK: Transformers

    private static func transformer<Output: Sendable>(
        _ mismatch: InputTypeMismatchAction,
        errors: Bool = false,
        _ processor: @escaping ResponseContentTransformer<User, Output>.Processor
    ) -> DecodedInputTransformer<User, Output> {
        DecodedInputTransformer(
            onInputTypeMismatch: mismatch,
            transformErrors: errors,
            decoder: { JSONDecoder() },
            processor: processor
        )
    }

    private static let name: @Sendable (Entity<User>) throws -> String? = { $0.content.name }
    private static let bytes = Array(#"{"name": "Anna"}"#.utf8)

    private static func success(_ content: any Sendable, _ type: String = "application/json") -> Response {
        .success(Entity(content: content, contentType: type))
    }

    @Test(
        "bytes are decoded if their type says JSON, in any case, and JSON whatever its type says",
        arguments: [
            (bytes, "application/json", "Anna"), (bytes, "application/problem+JSON", "Anna"),
            (bytes, "text/plain", nil),
            (["name": "Ben"] as [String: any Sendable], "text/plain", "Ben"), ("{}", "application/json", nil),
        ] as [(any Sendable, String, String?)]
    )
    func decoded(content: any Sendable, type: String, name: String?) {
        let result = Self.transformer(.error, Self.name).process(Self.success(content, type))
        #expect(result.entity?.content as? String == name)
        let cause = result.error?.cause
        #expect((cause is RequestError.Cause.WrongInputTypeInTranformerPipeline) == (name == nil))
    }

    @Test("what may be skipped is not decoded: all that is no input, or what is an output already (S-176)")
    func skipped() {
        let object: [String: any Sendable] = ["name": "Ben"]
        #expect(Self.transformer(.skip, Self.name).process(Self.success(object)).jsonDict["name"] as? String == "Ben")
        let made = Self.transformer(.skipIfOutputTypeMatches) { _ in ["made": true] as [String: any Sendable]? }
        #expect(made.process(Self.success(object)).jsonDict.keys.sorted() == ["name"])
        let text = Self.transformer(.skipIfOutputTypeMatches, Self.name)
        #expect(text.process(Self.success(object)).text == "Ben")
        #expect(text.process(Self.success("as it is")).text == "as it is")
    }

    @Test("content of errors is decoded only where that is wanted; what cannot be decoded stays (S-177)")
    func errors() {
        func process(_ content: [UInt8], _ isWanted: Bool) -> Response {
            var error = RequestError(userMessage: "no")
            error.entity = Entity(content: content, contentType: "application/json")
            return Self.transformer(.error, errors: isWanted, Self.name).process(.failure(error))
        }
        #expect(process(Self.bytes, true).text == "Anna" && process(Self.bytes, true).error?.userMessage == "no")
        #expect(process(Self.bytes, false).entity?.content as? [UInt8] == Self.bytes)
        #expect(process([0x7B], true).entity?.content as? [UInt8] == [0x7B])
    }

    @Test("content that cannot be decoded fails with the decoder's error (S-175)")
    func undecodable() {
        let error = Self.transformer(.error, Self.name).process(Self.success(Array("{}".utf8))).error
        #expect(error?.cause is DecodingError && error?.entity?.content as? [UInt8] == Array("{}".utf8))
    }

    // MARK: Stages

    /// How many transformers two stages have.
    private func counts(_ stage: PipelineStageKey, _ configure: (Service) -> Void) -> [Int] {
        let service = Service(baseURL: "http://h.example", networking: URLSessionNetworking())
        configure(service)
        let pipeline = service.resource("a").configuration.values.pipeline
        return [pipeline[.parsing].transformers.count, pipeline[stage].transformers.count]
    }

    @Test(
        "a transformer replaces those of its stage or goes behind them; one of bytes gets them as they came (S-055)",
        arguments: [PipelineStage.MutationAction.replaceExisting, .appendToExisting]
    )
    func stages(action: PipelineStage.MutationAction) {
        let count = action == .replaceExisting ? 1 : 2
        for hasErrors in [false, true] {
            let ofData = counts(.model) { service in
                for _ in 0..<2 {
                    service.configureTransformer("/*", action: action, transformErrors: hasErrors) {
                        try JSONDecoder().decode(User.self, from: $0.content)
                    }
                }
            }
            // Text and JSON of errors are still read, unless the transformer reads them.
            #expect(ofData == [hasErrors ? 0 : 2, count])
        }
        let ofBytes = counts(.model) { service in
            for _ in 0..<2 {
                service.configureTransformer("/*", action: action) { (entity: Entity<[UInt8]>) in entity.content.count }
            }
        }
        #expect(ofBytes == [2, count])
        let ofValues = counts(.model) { service in
            for _ in 0..<2 {
                service.configureTransformer("/*", action: action) { (entity: Entity<User>) in entity.content.name }
            }
        }
        #expect(ofValues == [3, count])
    }

    @Test("only stages behind the parsing one get bytes that are not parsed (S-055)")
    func parsing() {
        func counts(_ stage: PipelineStageKey) -> [Int] {
            self.counts(stage) { service in
                service.configureTransformer("/*", atStage: stage, action: .appendToExisting) {
                    try JSONDecoder().decode(User.self, from: $0.content)
                }
            }
        }
        #expect(counts(.decoding) == [3, 1] && counts(.parsing) == [4, 4])
        #expect(counts(.model) == [2, 1] && counts(.cleanup) == [2, 1])
    }

    // MARK: Messages

    @Test("a session's response is one of HTTP, without the coding that the session took off, unless that counts")
    func heads() throws {
        func head(_ status: Int, keepsCoding: Bool = false) throws -> ResponseHead? {
            let fields = ["Content-Encoding": "gzip", "Content-Length": "3", "X-A": "1"]
            let url = try #require(URL(string: "http://h.example/"))
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
            return ResponseHead(try #require(response), keepsCoding: keepsCoding)
        }
        #expect(try [99, 100, 999, 1000].map { try head($0)?.status } == [nil, 100, 999, nil])
        #expect(try head(200)?.fields.lines.count == 1)
        #expect(try head(200, keepsCoding: true)?.fields.lines.count == 3)
    }
}
