import HTTPCore
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

/// Content codings, which our own client takes off.
@Suite("Content codings of responses")
struct DecodingTests {
    /// What other encoders made of "hello".
    private static let hello: [(coding: String, digits: String)] = [
        ("gzip", "1f8b0800000000000203cb48cdc9c9070086a6103605000000"),
        ("deflate", "789ccb48cdc9c90700062c0215"), ("deflate", "cb48cdc9c90700"),
        ("br", "0b028068656c6c6f03"), ("zstd", "28b52ffd200529000068656c6c6f"),
        ("X-GZIP", "1f8b0800000000000203cb48cdc9c9070086a6103605000000"),
        ("deflate, zstd", "28b52ffd200d690000789ccb48cdc9c90700062c0215"),
    ]

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    private static func origin(
        _ coding: String,
        _ content: [UInt8],
        status: Int = 200,
        _ fields: [(String, String)] = []
    ) -> AnsweringOrigin {
        AnsweringOrigin { _ in
            .init(status, [("Content-Type", "text/plain"), ("Content-Encoding", coding)] + fields, bytes: content)
        }
    }

    @Test("content is decoded whatever its coding, and the fields no longer say that it is coded", arguments: hello)
    func codings(coding: String, digits: String) async throws {
        let content = Self.bytes(digits)
        let digests = ["Content-MD5", "Content-Digest", "Repr-Digest", "Digest"]
        let origin = Self.origin(coding, content, [("ETag", "\"1\"")] + digests.map { ($0, "x") })
        let service = Service(baseURL: origin.url)
        let entity = try await service.resource("/a").load().entity
        #expect(entity.text == "hello")
        let gone = ["Content-Encoding", "Content-Length"] + digests
        #expect(gone.allSatisfy { entity.header(forKey: $0) == nil })
        #expect(entity.etag == "\"1\"" && entity.contentType == "text/plain")
        #expect(origin.requests.map { $0.fields["accept-encoding"] } == ["gzip, deflate, br, zstd"])
    }

    @Test("what a request says of codings goes as it is; known ones are taken off all the same, unknown ones are not")
    func own() async throws {
        let gzip = Self.origin("gzip", Self.bytes(Self.hello[0].digits))
        let one = await Service(baseURL: gzip.url).resource("/a").request(.get) {
            $0[field: "Accept-Encoding"] = "identity"
        }.outcome
        #expect(one.response.text == "hello" && gzip.requests.map { $0.fields["accept-encoding"] } == ["identity"])
        let strange = Self.origin("strange", Array("abc".utf8))
        let two = await Service(baseURL: strange.url).resource("/a").request(.get) {
            $0[field: "Accept-Encoding"] = "strange"
        }.outcome
        #expect(two.response.text == "abc" && two.response.entity?.header(forKey: "content-encoding") == "strange")
    }

    @Test(
        "an unknown coding, and content that is not what its coding says, fail with the content as it came",
        arguments: [
            ("strange", "616263"), ("gzip", "616263"), ("gzip", "1f8b0800000000000003cb48"), ("zstd", "28b5"),
            ("br", "0b0280"), ("gzip, gzip, gzip", "1f8b"),
        ]
    )
    func undecodable(coding: String, digits: String) async {
        let origin = AnsweringOrigin { _ in
            .init(200, [("Content-Type", "x/y"), ("Content-Encoding", coding)], bytes: Self.bytes(digits))
        }
        let service = Service(baseURL: origin.url)
        let resource = service.resource("/a")
        let error = await resource.load().outcome.response.error
        let cause = error?.cause as? RequestError.Cause.UndecodableContent
        #expect(cause?.coding == coding && cause?.message.isEmpty == false)
        #expect(error?.userMessage.hasPrefix("The content cannot be decoded: ") == true)
        #expect(error?.httpStatusCode == 200 && error?.entity?.content as? [UInt8] == Self.bytes(digits))
        #expect(resource.latestData == nil && resource.latestError != nil && service.resource("/a") === resource)
    }

    @Test("what would become too large, or explodes, is not decoded to its end (H-131)", arguments: [true, false])
    func limits(isSize: Bool) async throws {
        // One block of zstd that repeats a byte 128 KiB times, sixteen times: 2 MiB of 70 bytes.
        let frame = "28b52ffd0058" + String(repeating: "02001061", count: 15) + "03001061"
        let origin = Self.origin("zstd", Self.bytes(frame))
        var options = HTTPClient.Options()
        if isSize {
            options.decoding.decodedContent = 1_000_000
            options.decoding.ratio = 0
        }
        let limited = Service(baseURL: origin.url, client: HTTPClient(options: options))
        let cause = await limited.resource("/a").load().outcome.response.error?.cause
        let message = (cause as? RequestError.Cause.UndecodableContent)?.message ?? ""
        #expect(message.contains(isSize ? "larger than 1000000 bytes" : "more than 100 bytes"))
        options.decoding.decodedContent = 0
        options.decoding.ratio = 0
        let unlimited = Service(baseURL: origin.url, client: HTTPClient(options: options))
        let entity = try await unlimited.resource("/a").load().entity
        #expect(entity.text.utf8.count == 2 * 1024 * 1024)
    }

    @Test("decoding that takes longer than allowed fails (H-131)")
    func time() async {
        let origin = Self.origin("gzip", Self.bytes(Self.hello[0].digits))
        var options = HTTPClient.Options()
        options.decoding.time = .zero
        let service = Service(baseURL: origin.url, client: HTTPClient(options: options))
        let cause = await service.resource("/a").load().outcome.response.error?.cause
        let message = (cause as? RequestError.Cause.UndecodableContent)?.message
        #expect(message?.contains("takes longer than 0.0 seconds") == true)
    }

    @Test("content of an error is decoded too (S-152)")
    func errors() async {
        let origin = Self.origin("gzip", Self.bytes(Self.hello[0].digits), status: 404)
        let service = Service(baseURL: origin.url)
        let response = await service.resource("/a").load().outcome.response
        #expect(response.error?.httpStatusCode == 404 && response.text == "hello" && response.error?.cause == nil)
        #expect(service.resource("/a").latestError?.httpStatusCode == 404)
    }

    @Test("parts, and responses without content, stay as they are")
    func parts() async throws {
        let origin = AnsweringOrigin { request in
            let coded = [("Content-Encoding", "gzip"), ("Content-Type", "x/y")]
            return request.method == "HEAD" ? .init(200, coded) : .init(206, coded, "abc")
        }
        let resource = Service(baseURL: origin.url).resource("/a")
        let part = await resource.request(.get) { $0[field: "Range"] = "bytes=0-2" }.outcome.response.entity
        #expect(part?.content as? [UInt8] == Array("abc".utf8) && part?.header(forKey: "content-encoding") == "gzip")
        let head = await resource.request(.head).outcome.response.entity
        #expect(head?.content as? [UInt8] == [] && head?.header(forKey: "content-encoding") == "gzip")
        #expect(origin.requests.map { $0.fields["accept-encoding"] } == [nil, "gzip, deflate, br, zstd"])
    }

    @Test("a confirmed response is the decoded one")
    func notModified() async throws {
        let content = Self.bytes(Self.hello[0].digits)
        let origin = AnsweringOrigin { request in
            let fields = [("ETag", "\"1\""), ("Content-Encoding", "gzip"), ("Content-Type", "text/plain")]
            return request.fields["if-none-match"] == nil ? .init(200, fields, bytes: content) : .init(304, fields)
        }
        let resource = Service(baseURL: origin.url).resource("/a")
        _ = try await resource.load().entity
        #expect(try await resource.load().entity.text == "hello" && resource.text == "hello")
        #expect(origin.requests.count == 2)
    }
}
