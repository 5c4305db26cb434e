import Testing

@testable import Transformers

/// How deep JSON may be where nobody says it.
@Suite("Depth of JSON") struct JSONDepthTests {
    private static func nested(_ opening: String, _ closing: String, _ depth: Int) -> [UInt8] {
        Array((String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)).utf8)
    }

    @Test("selections and keys look 128 levels deep and no deeper (H-131)", arguments: [(128, true), (129, false)])
    func depth(depth: Int, isRead: Bool) throws {
        let text = Self.nested("[", "]", depth)
        #expect((try JSONSelection(paths: ["$"], names: []).ranges(in: text) != nil) == isRead)
        #expect((try JSONKeyForm().text(of: text) != nil) == isRead)
        let query = Array((String(repeating: "{a", count: depth) + String(repeating: "}", count: depth)).utf8)
        #expect((try GraphQLKeyForm().judge(query) != .invalid) == isRead)
    }
}
