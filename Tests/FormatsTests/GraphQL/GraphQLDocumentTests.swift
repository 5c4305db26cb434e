import Formats
import Testing

@Suite("GraphQL documents")
struct GraphQLDocumentTests {
    private func document(_ source: String, depth: Int = 16) -> GraphQLDocument? {
        GraphQLDocument(Array(source.utf8), depthLimit: depth)
    }

    private func text(_ source: String) -> String? { document(source).map { String(decoding: $0.text, as: UTF8.self) } }

    @Test(
        "white space, commas, comments and byte order marks do not count (GraphQL §2.1.7)",
        arguments: [
            "query Q($a:Int=1,$b:[X!]!){me(id:$a,of:{x:[1,2]})@include(if:$b){...F}}fragment F on U{name}",
            """
            \u{FEFF}# first
            query Q ( $a : Int = 1 $b : [ X ! ] ! ) {\r
            \tme ( id : $a,,, of : { x : [ 1 2 ] } ) @include ( if : $b ) { ... F } # {
            }, fragment F on U { name }
            """,
        ]
    )
    func ignored(source: String) throws {
        let expected =
            "query Q ( $ a : Int = 1 $ b : [ X ! ] ! ) { me ( id : $ a of : { x : [ 1 2 ] } ) @ include ( if : $ b ) { ... F } } "
            + "fragment F on U { name }"
        #expect(text(source) == expected)
        // The text is a document with the same text.
        #expect(text(expected) == expected)
    }

    @Test(
        "what may mean something else stays different",
        arguments: [
            ("{a b}", "{ab}"), ("{a(x:\"b c\")}", "{a(x:\"b  c\")}"), ("{a(x:\"#\")}", "{a(x:\"\")}"),
            ("{a(x:\"\"\"b\"\"\")}", "{a(x:\"b\")}"), ("{a(x:\"\"\"b\n c\"\"\")}", "{a(x:\"\"\"b c\"\"\")}"),
            ("{a(x:[1 2])}", "{a(x:[12])}"), ("{a(x:-1)}", "{a(x:1)}"), ("{a:b}", "{a b}"), ("{a}", "query{a}"),
            ("{a(x:[\"\" \"b\"])}", "{a(x:[\"\"\"b\"\"\"])}"), ("{a ...b}", "{a ...{b}}"),
        ]
    )
    func different(one: String, other: String) throws {
        #expect(try #require(text(one)) != #require(text(other)))
    }

    @Test(
        "names, numbers and punctuators are tokens of their own, each as it is written",
        arguments: [
            ("{__a9 Z_z,_}", "{ __a9 Z_z _ }"), ("{a(x:[-1.5e+3 2E-4,0.0])}", "{ a ( x : [ -1.5e+3 2E-4 0.0 ] ) }"),
            ("{a!b$c&d=e@f|g}", "{ a ! b $ c & d = e @ f | g }"), ("{...on A{b}...c}", "{ ... on A { b } ... c }"),
        ]
    )
    func tokens(source: String, expected: String) {
        #expect(text(source) == expected)
    }

    @Test(
        "the kinds of all operations are found, also behind strings and comments that contain keywords",
        arguments: [
            ("{a}", [.query]), ("query{a}", [.query]), ("mutation{a}", [.mutation]),
            ("subscription S{a}", [.subscription]), ("query A{a} mutation B{b}", [.query, .mutation]),
            ("{mutation} query subscription{mutation(mutation:\"mutation{}\")}", [.query]),
            ("#mutation{a}\n{a(x:\"\"\"\\\"\"\" mutation { \"\"\")}", [.query]), ("fragment F on T{a}", []),
            ("fragment F on T{a}#\rmutation{b}", [.mutation]), ("\"What it does\" query Q{a}", [.query]),
            ("query Q@a@b(c:{d:[{}]})@e{f}", [.query]), ("fragment mutation on query@a{b}", []),
            ("query($a:Int){b}", [.query]), ("mutation@a(b:1){c}", [.mutation]), ("subscription@a{b}", [.subscription]),
        ] as [(String, Set<GraphQLDocument.Operation>)]
    )
    func operations(source: String, expected: Set<GraphQLDocument.Operation>) {
        #expect(document(source)?.operations == expected)
    }

    @Test(
        "what is no document of a request has none",
        arguments: [
            "", " ,\n", "#{a}", "query", "query Q", "{", "{a", "}", "{a}}", "{a)", "{a(x:[1)]}", "{a}b", "a{b}",
            "Query{a}",
            "type T{a:Int}", "schema{query:Q}", "extend type T{a:Int}", "query Q mutation{a}", "query Q(){a}(){b}",
            "query Q R{a}", "query@{a}", "query@a @{b}", "fragment on on T{a}", "fragment F{a}", "fragment F on{a}",
            "fragment F on T(a:1){a}", "\"d\"{a}", "\"d\" \"e\" query{a}", "\"d\"", "query Q=1{a}", "query 1{a}",
            "query ...{a}", "{a(x:\"b)}", "{a(x:\"b\n\")}", "{a(x:\"b\r\")}", "{a(x:\"\\\n\")}", "{a(x:\"\\",
            "{a(x:\"\"\"b\"\")}",
            "{a..}", "{a.b}", "{a;b}", "{a%}", "{ä}", "{\u{0}}", "{a'b'}", "{\u{A0}a}", "{\\u0061}", "query\u{2028}{a}",
        ]
    )
    func unreadable(source: String) {
        #expect(document(source) == nil, "\(source)")
    }

    @Test("a document that ends anywhere is not taken for another, and nothing is read behind its end")
    func cut() {
        let source = Array("query Q($a:Int=1)@d{me(of:\"x\\\"\",in:\"\"\"y\"\"\"){...F}}".utf8)
        for end in source.indices { #expect(GraphQLDocument(Array(source[..<end]), depthLimit: 16) == nil, "\(end)") }
        #expect(GraphQLDocument(source, depthLimit: 16)?.operations == [.query])
        for bytes in [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF], [0xFF], [0x2E, 0x2E], [0x22, 0x22, 0x22]] as [[UInt8]] {
            #expect(GraphQLDocument(bytes, depthLimit: 16) == nil)
        }
    }

    @Test("brackets are nested up to the limit and no further, and a mebibyte of them is refused")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{a", count: depth) + String(repeating: "}", count: depth)
        }
        #expect(document(nested(16)) != nil && document(nested(17)) == nil)
        for bracket in ["{", "(", "[", "{a(x:[", "\"", "\"\"\"", "...", "#", "@", "}"] {
            #expect(document(String(repeating: bracket, count: 1 << 20 / bracket.utf8.count)) == nil)
        }
        #expect(document(String(repeating: "{a}", count: 1 << 18))?.operations == [.query])
    }

    @Test("strings may contain any bytes but line ends, block strings all")
    func strings() {
        #expect(document("{a(x:\"\u{0}\u{FEFF}\u{1F600}\\u{1F600}\\u0022\")}")?.operations == [.query])
        #expect(document("{a(x:\"\"\"\u{0}\n\r\u{2028}\"\"\"\"mutation{b}\")}")?.operations == [.query])
        #expect(document("{a(x:\"\"\"\"\"\")}")?.operations == [.query])
    }
}
