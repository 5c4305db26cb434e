import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// What has come of bodies that failed.
@Suite("Parts of bodies that failed") struct TakenPartTests {
    private static let failure = ExchangeFailure(.connectionTerminated, "gone")

    private static func body(_ writer: ManualWriter? = nil, isStorable: Bool = true) -> GrowingBody {
        var limits = GrowingBody.Limits()
        limits.inMemory = writer == nil ? 1 << 20 : 1024
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { _ in writer }
        let body = GrowingBody(
            limits: limits,
            expected: nil,
            isShared: true,
            granted: 1 << 20,
            makeWriter: isStorable ? makeWriter : nil,
            grant: { _ in },
            lostStore: {}
        )
        for letter in ["a", "b"] { body.append(ByteChunk(String(repeating: letter, count: 1000))) }
        return body
    }

    /// What `takePart` brings, in the order of its calls.
    private static func take(_ body: GrowingBody) -> [String] {
        let parts = LockedBox<[String]>([])
        body.takePart { part in
            let text: String =
                switch part {
                case .bytes(let bytes)?: String(decoding: bytes, as: UTF8.self)
                case .file(let file)?: "file of \(file.count)"
                case nil: "nothing"
                }
            parts.change { $0.append(text) }
        }
        return parts.value
    }

    @Test("what is in memory is taken as it came, once")
    func memory() {
        let body = Self.body()
        body.fail(Self.failure)
        #expect(Self.take(body) == [String(repeating: "a", count: 1000) + String(repeating: "b", count: 1000)])
        #expect(Self.take(body) == ["nothing"])
    }

    @Test("what is in a file is taken as a file, once")
    func file() {
        let writer = ManualWriter()
        let body = Self.body(writer)
        writer.flush()
        body.fail(Self.failure)
        #expect(Self.take(body) == ["file of 2000"])
        #expect(Self.take(body) == ["nothing"])
    }

    @Test("of a body that is open, was not kept from its first byte on, or is stored already, nothing is taken")
    func nothing() {
        #expect(Self.take(Self.body()) == ["nothing"])
        let window = Self.body(isStorable: false)
        window.fail(Self.failure)
        #expect(Self.take(window) == ["nothing"])
        let stored = Self.body()
        let count = LockedBox(0)
        stored.whenFinalized { body in count.change { $0 += Int(body?.count ?? 0) } }
        stored.finish(trailers: nil)
        #expect(Self.take(stored) == ["nothing"] && count.value == 2000)
    }
}
