import HTTPCore
import Testing

@Suite("Lists")
struct ListMembersTests {
    @Test(
        "lists: members are trimmed, empty ones left out, commas in quotes kept",
        arguments: [
            ("a, b ,c", ["a", "b", "c"]), (",, a ,\t, b,", ["a", "b"]), ("", []), (" , ", []),
            ("\"a,b\", c", ["\"a,b\"", "c"]), ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("\"a, b", ["\"a, b"]),
        ]
    )
    func lists(value: String, members: [String]) {
        let bytes = latin(value)
        #expect(ListMembers.ranges(in: bytes.span).map { text(bytes[$0]) } == members)
    }
}
