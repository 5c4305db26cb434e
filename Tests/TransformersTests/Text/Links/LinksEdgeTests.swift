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
            "<!--a--!><a href=^http://x>", "<!--a-- ><a href=http://n>--><a href=^http://x>",
            "<!--a-!><a href=http://n>--><a href=^http://x>", "<!---><a href=^http://x>", "<!----><a href=^http://x>",
            "<!--a-><a href=http://n>--><a href=^http://x>", "<!-x><a href=^http://x>", "<!-><a href=^http://x>",
            "<!><a href=^http://x>", "<!- -><a href=^http://x>", "<!x --><a href=^http://x>", "<?x ><a href=^http://x>",
            // End tags and what is no tag.
            "</><a href=^http://x>", "</1 a='><a href=^http://x>", "<1 <a href=^http://x>", "</a href=http://n>",
            "</a><a href=^http://x>", "< a href=http://n>", "<@a href=http://n>", "<[a href=http://n>",
            "<`a href=http://n>", "<{a href=http://n>",
            // Attributes.
            "<a/href=^http://x>", "<a x/href=^http://x>", "<a x=1/href=http://n href=^http://x>",
            "<a x='1'href=^http://x>", "<a href>http://n<a href = ^http://x>", "<a x href='^http://x'>",
            "<a x = href=http://n>", "<a href=><a href=^http://x>", "<a =href=http://n>",
            "<a\u{C}href\u{C}=\u{C}^http://x>",
            "<a href=^http://x\nhref=^http://y\tid=z>", "<a hRef=^http://x>",
            "<a x=\"<a href='http://n'>\" href='^http://x'>", "<a href='^http://x\" '><a href=\"^http://x' \">",
            "<video poster=^http://x>", "<q cite=^http://x>", "<object data=^http://x>", "<body background=^http://x>",
            "<img longdesc=^http://x>", "<a href='^http&colon;&sol;&SOL;x&period;y/'>", "<a href='http&semi;//n'>",
            "<a href='^http&#58;&#x2f;/x'>", "<a href='http&#x3A//n'>",
            // What follows a tag is text.
            "<a> href=http://n", "<a href> href=http://n", "<a x > href=http://n", "<a x/> href=http://n",
            "<a /> href=http://n", "<a x=1> href=http://n", "<a x='1'> href=http://n", "<a x=> href=http://n",
            "</a> href=http://n", "<a x= > href=http://n", "<title></title> href=http://n",
            // Elements with text.
            "<xmp><a href=http://n></xmp><a href=^http://x>", "<iframe><a href=http://n></iframe><a href=^http://x>",
            "<noembed><a href=http://n></noembed><a href=^http://x>",
            "<noframes><a href=http://n></noframes><a href=^http://x>",
            "<title>a</titl></title/><a href=^http://x>", "<title></title x=1><a href=^http://x>",
            "<title></title href=http://n><a href=^http://x>", "<title><</</title><a href=^http://x>",
            "<TITLE></TiTlE\t><a href=^http://x>", "<titlex><a href=^http://x>", "<title><a href=http://n></titles>",
            "</title><a href=^http://x>", "<title/><a href=http://n></title>",
            // Other tags come before.
            "<p><title><a href=http://n></title><a href=^http://x>", "<p></p><xmp><a href=http://n></xmp>",
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
        let url = "http://x/" + String(repeating: "a", count: count - 9)
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
        let rest = "http://x/" + String(repeating: "a", count: 91) + "\"" + String(repeating: " ", count: blanks)
        let expected = "\"" + (isLink ? Self.prefix : "") + rest
        #expect(try Self.linked("\"" + rest, "application/json") == [expected])
    }

    @Test(
        "a slash may be escaped, and other characters behind the authority; ^ marks a link",
        arguments: [
            #"["^http:\/\/x\/"]"#, #"["^http://x/\u0041"]"#, #"["^http://x\u0041"]"#, #"["http:\u002f/x"]"#,
            #"["http://\u0041"]"#, #"["http:\n//x"]"#, #"["http://x/ "]"#, #"["http://x/<"]"#, #"["http://x/>"]"#,
            "[\"http://x/\u{7F}\"]", #"["^http://x/!~"]"#, #"["http://x/\"]"#, #"["^http://x" ,"^http://y"]"#,
            #"{"http://x":"^http://y"}"#, #"{"http://x" :"^http://y"}"#, "[\"^http://x\"\t\r\n ]", #"["^http://x""#,
            // A quotation mark behind a backslash ends no string, one behind two of them does.
            #"["a\"","^http://x/"]"#, #"["a\\","^http://x/"]"#, #"["a\\\"","^http://x/"]"#, #"["a]\"",1,"^http://x/"]"#,
        ]
    )
    func escapes(marked: String) throws {
        let content = marked.filter { $0 != "^" }
        let expected = marked.split(separator: "^", omittingEmptySubsequences: false).joined(separator: Self.prefix)
        #expect(try Self.linked(content, "application/json") == [expected])
    }
}
