import HTTPCore
import Testing
import Transforms

@testable import Transformers

/// Where links begin and end in odd HTML and long JSON.
@Suite("Edges of links") struct LinksEdgeTests {
    private static let prefix = "http://gate.example/"

    /// The content with prefixes, whole and cut at every byte.
    private static func linked(_ content: String, _ type: String) throws -> Set<String> {
        var results: Set<String> = []
        for piece in [1, 2, 3, 7, 65_536] {
            var run = Run(piece: piece)
            run.request = [("Host", "gate.example")]
            var response = head(("Content-Type", type))
            let result = try run.transform(LinksTransformer(), &response, Array(content.utf8))
            results.insert(result.map { String(decoding: $0, as: UTF8.self) } ?? "none")
        }
        return results
    }

    @Test(
        "a link is found where an attribute of a start tag begins, and nowhere else; ^ marks it",
        arguments: [
            // Comments and declarations.
            "<!--a--!><a href=^http://x.example>", "<!--a-- ><a href=http://n.example>--><a href=^http://x.example>",
            "<!--a-!><a href=http://n.example>--><a href=^http://x.example>", "<!---><a href=^http://x.example>",
            "<!----><a href=^http://x.example>",
            "<!--a-><a href=http://n.example>--><a href=^http://x.example>", "<!-x><a href=^http://x.example>",
            "<!-><a href=^http://x.example>",
            "<!><a href=^http://x.example>", "<!- -><a href=^http://x.example>", "<!x --><a href=^http://x.example>",
            "<?x ><a href=^http://x.example>",
            // End tags and what is no tag.
            "</><a href=^http://x.example>", "</1 a='><a href=^http://x.example>", "<1 <a href=^http://x.example>",
            "</a href=http://n.example>",
            "</a><a href=^http://x.example>", "< a href=http://n.example>", "<@a href=http://n.example>",
            "<[a href=http://n.example>",
            "<`a href=http://n.example>", "<{a href=http://n.example>",
            // Attributes.
            "<a/href=^http://x.example>", "<a x/href=^http://x.example>",
            "<a x=1/href=http://n.example href=^http://x.example>",
            "<a x='1'href=^http://x.example>", "<a href>http://n.example<a href = ^http://x.example>",
            "<a x href='^http://x.example'>",
            "<a x = href=http://n.example>", "<a href=><a href=^http://x.example>", "<a =href=http://n.example>",
            "<a\u{C}href\u{C}=\u{C}^http://x.example>",
            "<a href=^http://x.example\nhref=^http://y.example\tid=z>", "<a hRef=^http://x.example>",
            "<a x=\"<a href='http://n.example'>\" href='^http://x.example'>",
            "<a href='^http://x.example\" '><a href=\"^http://x.example' \">",
            "<video poster=^http://x.example>", "<q cite=^http://x.example>", "<object data=^http://x.example>",
            "<body background=^http://x.example>",
            "<img longdesc=^http://x.example>", "<a href='^http&colon;&sol;&SOL;x&period;y/'>",
            "<a href='http&semi;//n'>",
            "<a href='^http&#58;&#x2f;/x'>", "<a href='http&#x3A//n'>",
            // What follows a tag is text.
            "<a> href=http://n.example", "<a href> href=http://n.example", "<a x > href=http://n.example",
            "<a x/> href=http://n.example",
            "<a /> href=http://n.example", "<a x=1> href=http://n.example", "<a x='1'> href=http://n.example",
            "<a x=> href=http://n.example",
            "</a> href=http://n.example", "<a x= > href=http://n.example", "<title></title> href=http://n.example",
            // Elements with text.
            "<xmp><a href=http://n.example></xmp><a href=^http://x.example>",
            "<iframe><a href=http://n.example></iframe><a href=^http://x.example>",
            "<noembed><a href=http://n.example></noembed><a href=^http://x.example>",
            "<noframes><a href=http://n.example></noframes><a href=^http://x.example>",
            "<title>a</titl></title/><a href=^http://x.example>", "<title></title x=1><a href=^http://x.example>",
            "<title></title href=http://n.example><a href=^http://x.example>",
            "<title><</</title><a href=^http://x.example>",
            "<TITLE></TiTlE\t><a href=^http://x.example>", "<titlex><a href=^http://x.example>",
            "<title><a href=http://n.example></titles>",
            "</title><a href=^http://x.example>", "<title/><a href=http://n.example></title>",
            // Other tags come before.
            "<p><title><a href=http://n.example></title><a href=^http://x.example>",
            "<p></p><xmp><a href=http://n.example></xmp>",
        ]
    )
    func html(marked: String) throws {
        let content = marked.filter { $0 != "^" }
        let expected = marked.split(separator: "^", omittingEmptySubsequences: false).joined(separator: Self.prefix)
        #expect(try Self.linked(content, "text/html") == [expected])
    }

    @Test(
        "a string of JSON with the blanks behind it is held back up to 8 KiB",
        arguments: [(8190, 0, true), (8191, 0, false), (8192, 0, false), (100, 8090, true), (100, 8091, false)]
    )
    func json(count: Int, blanks: Int, isLink: Bool) throws {
        let url = "http://x.example/" + String(repeating: "a", count: count - 17)
        let (before, behind) = ("[\"", "\"" + String(repeating: " ", count: blanks) + "]")
        let expected = before + url + behind
        #expect(
            try Self.linked(expected, "application/json") == [
                isLink ? "[" + "\"" + Self.prefix + url + behind : expected
            ]
        )
    }

    @Test(
        "a string that is the end of the content is held back as long with the blanks behind it",
        arguments: [(0, true), (8091, true), (8092, false), (9000, false)]
    )
    func jsonEnd(blanks: Int, isLink: Bool) throws {
        let rest =
            "http://x.example/" + String(repeating: "a", count: 83) + "\"" + String(repeating: " ", count: blanks)
        let expected = "\"" + (isLink ? Self.prefix : "") + rest
        #expect(try Self.linked("\"" + rest, "application/json") == [expected])
    }

    @Test(
        "a slash may be escaped, and other characters behind the authority; ^ marks a link",
        arguments: [
            #"["^http:\/\/x.example\/"]"#, #"["^http://x.example/\u0041"]"#, #"["^http://x\u0041"]"#,
            #"["http:\u002f/x"]"#,
            #"["http://\u0041"]"#, #"["http:\n//x"]"#, #"["http://x.example/ "]"#, #"["http://x.example/<"]"#,
            #"["http://x.example/>"]"#,
            "[\"http://x.example/\u{7F}\"]", #"["^http://x.example/!~"]"#, #"["http://x.example/\"]"#,
            #"["^http://x.example" ,"^http://y.example"]"#,
            #"{"http://x.example":"^http://y.example"}"#, #"{"http://x.example" :"^http://y.example"}"#,
            "[\"^http://x.example\"\t\r\n ]", #"["^http://x.example""#,
            // A quotation mark behind a backslash ends no string, one behind two of them does.
            #"["a\"","^http://x.example/"]"#, #"["a\\","^http://x.example/"]"#, #"["a\\\"","^http://x.example/"]"#,
            #"["a]\"",1,"^http://x.example/"]"#,
        ]
    )
    func escapes(marked: String) throws {
        let content = marked.filter { $0 != "^" }
        let expected = marked.split(separator: "^", omittingEmptySubsequences: false).joined(separator: Self.prefix)
        #expect(try Self.linked(content, "application/json") == [expected])
    }
}
