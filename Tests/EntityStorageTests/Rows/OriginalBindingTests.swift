import HTTPCore
import RecordFormat
import Stores
import TestSupport
import Testing
import Transforms

@testable import EntityStorage

/// What a form needs its original to be.
@Suite("Bindings of forms to their originals") struct OriginalBindingTests {
    private static let usual = [
        ("Content-Type", "text/plain"), ("Content-Encoding", "br"), ("ETag", "\"1\""), ("X-Other", "a"),
    ]

    private func binding(
        _ content: [UInt8] = Array("content".utf8),
        fields: [(String, String)] = usual,
        _ change: (inout StoredRecord) -> Void = { _ in }
    ) -> [UInt8] {
        var stored = record("/", content, fields: fields)
        change(&stored)
        return OriginalBinding.bytes(of: stored)
    }

    /// The binding of a row with the usual status and fields.
    private func rowBinding(size: Int64, isFile: Bool, bodySum: UInt64, blockSums: [UInt8]) -> [UInt8] {
        OriginalBinding.bytes(
            status: 200,
            fields: record("/", fields: Self.usual).fields,
            mark: [],
            size: size,
            isFile: isFile,
            bodySum: Int64(bitPattern: bodySum),
            blockSums: blockSums
        )
    }

    @Test("another value of a describing field is another original, and so is the same value in another field")
    func values() {
        let type = ("Content-Type", "text/plain")
        let bindings = [
            binding(), binding(fields: [type]), binding(fields: [("Content-Type", "text/plain2")]),
            binding(fields: [("Content-Type", "text/html")]), binding(fields: [type, ("Content-Encoding", "br")]),
            binding(fields: [type, ("Content-Encoding", "gzip")]), binding(fields: [type, ("ETag", "br")]),
            binding(fields: [type, ("ETag", "\"1\"")]), binding(fields: [type, ("ETag", "\"2\"")]),
            binding(fields: [type, type]), binding(fields: []), binding(fields: [("Content-Encoding", "text/plain")]),
            binding(fields: [("ETag", "a"), ("ETag", "bc")]), binding(fields: [("ETag", "ab"), ("ETag", "c")]),
            binding(fields: [("ETag", "ab"), ("ETag", "")]),
        ]
        #expect(Set(bindings).count == bindings.count && bindings.allSatisfy { $0.count == 8 })
    }

    @Test("another content, status or redaction is another original, also at the same size")
    func content() {
        let bindings = [
            binding(), binding(Array("Content".utf8)), binding(Array("contents".utf8)), binding([]),
            binding { $0.status = 203 }, binding { $0.rendition = [1] }, binding { $0.rendition = [2] },
            binding(bytes(1_100_000)), binding(bytes(1_100_001)),
        ]
        #expect(Set(bindings).count == bindings.count)
        var end = bytes(1_100_000)
        end[1_099_999] ^= 1
        #expect(binding(end) != binding(bytes(1_100_000)))
    }

    @Test("what freshening changes, and what names the response, is not bound")
    func freshening() {
        let changes: [(inout StoredRecord) -> Void] = [
            { $0.fields.append(name: "X-New", value: "1") }, { $0.fields.remove(named: Array("X-Other".utf8)) },
            { $0.fields.append(name: "Cache-Control", value: "max-age=1") }, { $0.reason = [] },
            { $0.requestFields.append(name: "Accept", value: "a") }, { $0.uri = uri("/other") },
            { $0.requestTime = HTTPDate(seconds: 1) }, { $0.responseTime = HTTPDate(seconds: 2) },
            { $0.partition = .credential([1]) }, { $0.selection = [1] }, { $0.isInvalidated = true },
        ]
        for (index, change) in changes.enumerated() { #expect(binding { change(&$0) } == binding(), "\(index)") }
    }

    @Test("content in memory, in the table and in a file is one original by its bytes", arguments: [0, 7, 1_100_000])
    func rows(count: Int) {
        let content = bytes(count)
        let blocks = stride(from: 0, to: count, by: 1 << 20).map {
            Checksum.sum(Array(content[$0..<min($0 + 1 << 20, count)]))
        }
        let expected = binding(content)
        let file = rowBinding(size: Int64(count), isFile: true, bodySum: 99, blockSums: RecordCoding.encode(blocks))
        #expect(file == expected)
        guard count <= 1 << 20 else { return }
        let sum = count == 0 ? 99 : Checksum.sum(content)
        #expect(rowBinding(size: Int64(count), isFile: false, bodySum: sum, blockSums: [1]) == expected)
    }

    @Test("a stored form is found for its original only, not for one of which a single value differs")
    func store() async throws {
        let directory = TemporaryDirectory()
        let store = try OpenStore(directory)
        let original = record("/", fields: Self.usual)
        let form = StoredRendition(
            name: RenditionName(pipeline: "p", variation: ""),
            fields: original.fields,
            digest: Array("0123".utf8),
            madeAt: HTTPDate(seconds: 1_700_000_002),
            body: .bytes([1])
        )
        #expect(await store.commit(original))
        #expect(await store.commit(form, of: original))
        for (index, value) in ["text/html", "gzip", "\"2\""].enumerated() {
            var fields = Self.usual
            fields[index].1 = value
            let other = record("/", fields: fields)
            #expect(await store.rendition(form.name, of: other) == nil, "\(value)")
            #expect(await !store.commit(form, of: other), "\(value)")
        }
        #expect(await store.rendition(form.name, of: original) != nil)
        await store.close()
    }
}
