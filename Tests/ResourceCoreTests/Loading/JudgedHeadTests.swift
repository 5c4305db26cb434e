import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import ResourceCore

/// What a head means for storing and sharing its response.
@Suite("A judged head") struct JudgedHeadTests {
    private let bench = Workbench()
    private static let fresh = ("Cache-Control", "max-age=60")
    private static let credential = [("Authorization", "Basic a")]

    private func judged(
        _ lines: [(String, String)],
        to request: [(String, String)] = [],
        isDetached: Bool = false,
        keepsUncacheable: Bool = false
    ) -> JudgedHead {
        let context = bench.context
        let cause = LoadCause(
            LoadPlan(forward: .uriMiss, isHitForMiss: false),
            request: bench.request(request),
            sentAt: context.now,
            isBackground: false,
            keepsUncacheable: keepsUncacheable,
            vary: VaryNames(Fields())
        )
        let head = ResponseHead(status: 200, fields: Workbench.fields(lines), framing: .chunked)
        return JudgedHead.judge(head, isStripped: true, cause, isDetached: isDetached, context)
    }

    @Test(
        "a message without content has the length 0; without an announced length it has none",
        arguments: [(.none, 0), (.length(5), 5), (.chunked, nil), (.untilClose, nil)] as [(Framing, Int64?)]
    )
    func length(framing: Framing, length: Int64?) {
        #expect(JudgedHead.length(framing) == length)
    }

    @Test("what is shared or stored has several readers; what is refused has one")
    func sharing() {
        let everyone = judged([Self.fresh])
        #expect(everyone.partition == .shared && everyone.isKept && everyone.isShared)
        let own = judged([("Cache-Control", "private, max-age=60")], to: Self.credential)
        #expect(own.sharing == .leaderOnly(.responsePrivate) && own.partition != nil && own.isShared)
        let refused = judged([("Cache-Control", "no-store")])
        #expect(refused.partition == nil && !refused.isKept && !refused.isShared)
        let detached = judged([Self.fresh], isDetached: true)
        #expect(detached.partition == nil && !detached.isKept && detached.isShared)
        let program = judged([("Cache-Control", "no-store")], keepsUncacheable: true)
        #expect(program.partition == nil && program.isKept && !program.isShared)
    }

    @Test("too large a response is not kept, and is shared under a strong tag only (C-23.1)")
    func tooLarge() {
        var plain = judged([Self.fresh])
        plain.refuseAsTooLarge()
        #expect(plain.partition == nil && !plain.isKept && !plain.isShared)
        #expect(plain.storability == .refuse(.tooLarge) && plain.sharing == .leaderOnly(.tooLarge))
        var weak = judged([Self.fresh, ("ETag", "W/\"v1\"")])
        weak.refuseAsTooLarge()
        #expect(weak.sharing == .leaderOnly(.tooLarge))
        var tagged = judged([Self.fresh, ("ETag", "\"v1\"")])
        tagged.refuseAsTooLarge()
        #expect(tagged.partition == nil && !tagged.isKept && tagged.isShared)
        #expect(tagged.storability == .refuse(.tooLarge) && tagged.sharing == .everyone)
    }

    @Test("what is refused or not shared for another reason keeps that reason when it is too large")
    func otherReason() {
        var refused = judged([("Cache-Control", "no-store")], keepsUncacheable: true)
        refused.refuseAsTooLarge()
        #expect(refused.storability == .refuse(.noStore) && refused.sharing == .leaderOnly(.noStore))
        #expect(!refused.isKept)
        var own = judged([("Cache-Control", "private, max-age=60")], to: Self.credential)
        own.refuseAsTooLarge()
        #expect(own.storability == .refuse(.tooLarge) && own.sharing == .leaderOnly(.responsePrivate))
        #expect(!own.isShared)
    }

    @Test("a head without Date gets the time of its receipt; one with a Date keeps that")
    func date() {
        #expect(judged([Self.fresh]).fields.value(of: .date) == bench.context.wallNow.bytes)
        #expect(judged([Self.fresh, ("Date", "x")]).fields.values(of: .date) == [Array("x".utf8)])
    }

    // MARK: Completed heads

    private static let tag = ("ETag", "\"v1\"")

    private func received(
        _ status: UInt16,
        _ range: String,
        _ framing: Framing,
        _ lines: [(String, String)] = [Self.fresh, Self.tag]
    ) -> ResponseHead {
        let fields = Workbench.fields(lines + [("Content-Range", "bytes \(range)")])
        return ResponseHead(status: status, fields: fields, framing: framing)
    }

    @Test("the head of bytes for a hole is that of a part, with the length of its own content if that is announced")
    func filling() throws {
        let request = bench.request([("Range", "bytes=3-5")])
        for (framing, length) in [(.length(3), "3"), (.chunked, nil)] as [(Framing, String?)] {
            let head = received(206, "3-5/10", framing)
            let made = CompletedHead(filling: 3..<6, of: bench.part(0..<3), head, request, bench.context)
            let completed = try #require(made)
            #expect(completed.head.status == 206 && completed.head.fields.text(of: .contentLength) == length)
            #expect(completed.head.fields.text(of: .contentRange) == "bytes 3-5/10")
            #expect(completed.bytes == 0 && completed.ownCookies.isEmpty)
        }
        let other = received(206, "3-5/10", .length(3), [Self.fresh, ("ETag", "\"v2\"")])
        #expect(CompletedHead(filling: 3..<6, of: bench.part(0..<3), other, request, bench.context) == nil)
        let whole = received(200, "3-5/10", .length(3))
        #expect(CompletedHead(filling: 3..<6, of: bench.part(0..<3), whole, request, bench.context) == nil)
        let later = received(206, "4-5/10", .length(2))
        #expect(CompletedHead(filling: 3..<6, of: bench.part(0..<3), later, request, bench.context) == nil)
    }

    @Test("the head of the rest of a first part is that of the whole; a first part in a file is put there later")
    func completing() throws {
        let (request, head) = (bench.request(), received(206, "3-9/10", .length(7)))
        let file = bench.part(0..<3) { $0.body = .file(MemoryBodyFile([1, 2, 3])) }
        for (part, bytes) in [(bench.part(0..<3), 3), (file, 0)] as [(StoredResponse, Int64)] {
            let completed = try #require(CompletedHead(completing: part, head, request, bench.context))
            #expect(completed.head.status == 200 && completed.head.framing == .length(10))
            #expect(completed.head.contentLength == 10 && completed.head.fields.text(of: .contentLength) == "10")
            #expect(!completed.head.fields.contains(.contentRange) && completed.bytes == bytes)
        }
        let whole = received(200, "3-9/10", .length(7))
        #expect(CompletedHead(completing: bench.part(0..<3), whole, request, bench.context) == nil)
    }

    @Test("with a credential a cookie of the rest goes to its own request, and not into what all share (H-114)")
    func cookies() throws {
        let head = received(206, "3-9/10", .length(7), [Self.fresh, Self.tag, ("Set-Cookie", "id=1")])
        let request = bench.request(Self.credential)
        let completed = try #require(CompletedHead(completing: bench.part(0..<3), head, request, bench.context))
        #expect(completed.ownCookies == [Array("id=1".utf8)] && !completed.head.fields.contains(.setCookie))
        let own = bench.part(0..<3) { record in
            if let partition = request.partitions.own { record.partition = partition }
        }
        let kept = try #require(CompletedHead(completing: own, head, request, bench.context))
        #expect(kept.ownCookies.isEmpty && kept.head.fields.text(of: .setCookie) == "id=1")
    }
}
