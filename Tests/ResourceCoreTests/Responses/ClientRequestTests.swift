import HTTPCaching
import HTTPCore
import ResourceDoubles
import Testing

@testable import ResourceCore

/// What a resource sees of a client's request, as a value.
@Suite("A client's request, as a value") struct ClientRequestTests {
    private let bench = Workbench()

    @Test("fields and certificates of a service are its credential, each by itself; nothing else is")
    func serviceCredential() {
        let fields = Workbench.fields([("Authorization", "x")])
        let changes: [(Bool, (inout ClientRequest) -> Void)] = [
            (true, { $0.injected = fields }), (true, { $0.identity = "api" }), (false, { _ in }),
            (false, { $0.fields = fields }), (false, { $0.injected = Fields() }), (false, { $0.identity = nil }),
            (false, { $0.host = Array("other.example".utf8) }),
            (false, { $0.question = Question(.post, ByteChunk("content")) }),
        ]
        for (number, (bears, change)) in changes.enumerated() {
            var request = bench.request()
            change(&request)
            #expect(request.bearsServiceCredential == bears, "\(number)")
        }
    }

    @Test("a value that few requests have leaves the others as they are")
    func extras() {
        var request = bench.request()
        #expect(request.injected.isEmpty && request.credential == nil && request.identity == nil)
        #expect(request.host == nil && request.question == nil && request.wanted == nil && request.rendition == nil)
        request.identity = "api"
        request.host = [0x61]
        #expect(request.identity == "api" && request.host == [0x61] && request.injected.isEmpty)
        #expect(request.question == nil && request.wanted == nil && request.credential == nil)
        let copy = request
        request.identity = nil
        #expect(copy.identity == "api" && request.host == [0x61])
    }

    @Test("the request of a load is a GET, of a range or of the whole as it is planned, and without conditions")
    func loading() {
        let lines = [("Range", "bytes=2-5"), ("If-None-Match", "\"1\"")]
        for method in [Method.get, .head] {
            let request = bench.world.request("/a", lines, method: method)
            #expect(request.directives.hasRange && request.directives.hasCondition)
            for isRanged in [true, false] {
                let plan = LoadPlan(forward: .uriMiss, isHitForMiss: false, isRanged: isRanged)
                let made = request.loading(plan)
                #expect(made.profile.method == .get && !made.isHead && made.fields == request.fields)
                #expect(made.directives.hasRange == isRanged && !made.directives.hasCondition)
            }
        }
        let plain = bench.request([("Accept", "a/b")]).loading(LoadPlan(forward: .uriMiss, isHitForMiss: false))
        #expect(!plain.directives.hasRange && plain.fields == Workbench.fields([("Accept", "a/b")]))
    }

    @Test("the request of a load of missing bytes asks for these under the tag of the part, in place of its own range")
    func loadingHole() {
        let basis = Boxed(LoadBasis(part: bench.part(0..<3), hole: 3..<6))
        let plan = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true, basis: basis)
        let made = bench.request([("Range", "bytes=0-9"), ("If-Range", "\"x\""), ("Accept", "a/b")]).loading(plan)
        #expect(made.fields.text(of: .range) == "bytes=3-5" && made.fields.text(of: .ifRange) == "\"v1\"")
        #expect(made.fields.text(of: .accept) == "a/b" && made.directives.hasRange)
    }
}
