import Transforms
import Testing

@testable import Transformers

@Suite("JSONPath")
struct JSONPathTests {
    static let store = """
        { "store": {
            "book": [
              { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95 },
              { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99 },
              { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3",
                "price": 8.99 },
              { "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings",
                "isbn": "0-395-19395-8", "price": 22.99 }
            ],
            "bicycle": { "color": "red", "price": 399 } } }
        """

    @Test(
        "the examples of RFC 9535 §1.5 have their documented results",
        arguments: [
            (
                "$.store.book[*].author",
                ["\"Nigel Rees\"", "\"Evelyn Waugh\"", "\"Herman Melville\"", "\"J. R. R. Tolkien\""]
            ),
            ("$..author", ["\"Nigel Rees\"", "\"Evelyn Waugh\"", "\"Herman Melville\"", "\"J. R. R. Tolkien\""]),
            ("$.store..price", ["8.95", "12.99", "8.99", "22.99", "399"]),
            ("$..book[2].title", ["\"Moby Dick\""]), ("$..book[2].publisher", []),
            ("$..book[-1].title", ["\"The Lord of the Rings\""]),
            ("$..book[0,1].price", ["8.95", "12.99"]), ("$..book[:2].price", ["8.95", "12.99"]),
            ("$..book[?@.isbn].price", ["8.99", "22.99"]),
            ("$..book[?@.price<10].title", ["\"Sayings of the Century\"", "\"Moby Dick\""]),
        ] as [(String, [String])]
    )
    func bookstore(path: String, expected: [String]) throws {
        #expect(try Sample(Self.store).texts(path) == expected)
    }

    static let filtered =
        #"{"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],"o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}"#

    @Test(
        "the filters of RFC 9535 §2.3.5.3 and §2.4 have their documented results",
        arguments: [
            ("$.a[?@.b == 'kilo']", [#"{"b":"kilo"}"#]), ("$.a[?(@.b == 'kilo')]", [#"{"b":"kilo"}"#]),
            ("$.a[?@>3.5]", ["5", "4", "6"]),
            ("$.a[?@.b]", [#"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":{}}"#, #"{"b":"kilo"}"#]),
            (
                "$[?@.*]",
                [
                    #"[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]"#,
                    #"{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}}"#,
                ]
            ),
            ("$[?@[?@.b]]", [#"[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]"#]),
            ("$.o[?@<3, ?@<3]", ["1", "2", "1", "2"]),
            ("$.a[?@<2 || @.b == \"k\"]", ["1", #"{"b":"k"}"#]),
            ("$.a[?match(@.b, \"[jk]\")]", [#"{"b":"j"}"#, #"{"b":"k"}"#]),
            ("$.a[?search(@.b, \"[jk]\")]", [#"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":"kilo"}"#]),
            ("$.o[?@>1 && @<4]", ["2", "3"]), ("$.o[?@.u || @.x]", [#"{"u":6}"#]),
            ("$.a[?@.b == $.x]", ["3", "5", "1", "2", "4", "6"]),
            (
                "$.a[?@ == @]",
                ["3", "5", "1", "2", "4", "6", #"{"b":"j"}"#, #"{"b":"k"}"#, #"{"b":{}}"#, #"{"b":"kilo"}"#]
            ),
            ("$.o[?length(@) == 1]", [#"{"u":6}"#]),
            ("$[?count(@.*) > 5]", [#"[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]"#]),
            ("$.o[?value(@..u) == 6]", [#"{"u":6}"#]),
        ] as [(String, [String])]
    )
    func filters(path: String, expected: [String]) throws {
        #expect(try Sample(Self.filtered).texts(path) == expected)
    }

    @Test("if a name repeats the last member is found, or each for redaction")
    func repeatedNames() throws {
        let sample = try Sample(#"{"a":{"x":1},"\u0061":{"x":2,"x":3},"b":[{"x":4,"x":5}]}"#)
        #expect(try sample.texts("$.a.x") == ["3"])
        #expect(try sample.texts("$.a.x", .all) == ["1", "2", "3"])
        #expect(try sample.texts("/a/x", .all) == ["1", "2", "3"])
        #expect(try sample.texts("$..x", .all) == ["1", "2", "3", "4", "5"])
        #expect(try sample.texts("$..x") == ["1", "3", "5"])
    }

    @Test(
        "a filter that reads repeated names fails in a redaction",
        arguments: [
            "$.a[?@.x == 1]", "$.a[?!@.x]", "$.a[?@.*]", "$.a[?count(@..*) > 1]", "$.a[?length(@) == 2]",
            "$.a[?@ == $.a[0]]",
            "$.a[?@[?@ == 1]]", "$.a[?@..x]",
        ]
    )
    func repeatedNamesInFilters(path: String) throws {
        let sample = try Sample(#"{"a":[{"x":1,"x":2}]}"#)
        #expect(throws: Never.self) { try sample.texts(path) }
        #expect(
            throws: TransformFailure(
                .invalidContent,
                "the object at line 1, column 7 has two members with one name, and a filter reads it"
            )
        ) {
            try sample.texts(path, .all)
        }
    }

    @Test("repeated names that no filter reads do no harm")
    func repeatedNamesElsewhere() throws {
        let sample = try Sample(#"[{"x":1,"y":2,"y":3}]"#)
        #expect(try sample.texts("$[?@.x == 1].y", .all) == ["2", "3"])
    }

    @Test("for redaction each value is found once, in the order of the document")
    func sets() throws {
        let sample = try Sample("[[1,[2]],[3]]")
        #expect(try sample.texts("$..*..*", .all) == ["1", "[2]", "2", "3"])
        #expect(try sample.texts("$[1,0,0]", .all) == ["[1,[2]]", "[3]"])
        #expect(try sample.texts("$[::-1]", .all) == ["[1,[2]]", "[3]"])
        #expect(try sample.texts("$..[0]", .all) == ["[1,[2]]", "1", "2", "3"])
    }

    @Test(
        "an error in a path has a column",
        arguments: [
            ("a", 1), (" $", 1), ("$ ", 2), ("$.", 3), ("$..", 4), ("$.1", 3), ("$[", 3), ("$[]", 3), ("$[1", 4),
            ("$['a'", 6),
            ("$['a", 3), ("$[01]", 3), ("$[-0]", 3), ("$[9007199254740992]", 3), ("$[1:2:3:4]", 8), ("$[?]", 4),
            ("$[?@.a==]", 9),
            ("$[?@.a==1", 10), ("$[?true]", 4), ("$[?@.*==1]", 4), ("$[?foo(@)]", 4), ("$[?length(@)]", 4),
            ("$[?length(@.*)==1]", 11), ("$[?count(1)==1]", 10), ("$[?match(@)]", 4), ("$[?match(@,'a')==true]", 4),
            ("$['ä'].ö.", 10), ("$['\\x']", 4), ("$['\\uD800']", 4), ("$[\"\\'\"]", 4), ("$[?match(@, '(')]", 13),
            ("$[?(@.a]", 8), ("$[?!@.a==1]", 8), ("$.a b", 4), ("$[?@.a==1e]", 11), ("$[?@.a==01]", 9),
            ("$[?(@.a)==1]", 9),
        ]
    )
    func columns(path: String, column: Int) {
        let error = #expect(throws: JSONPathError.self) { try JSONQuery(parsing: path) }
        #expect(error?.column == column, "\(error?.userMessage ?? "")")
        #expect(error?.userMessage.isEmpty == false)
    }

    @Test(
        "an error in a path says what is missing or wrong",
        arguments: [
            ("a", "a path begins with `$`"),
            ("$ ", "a path continues with `.`, `..` or `[` here, and has no blanks at its end"),
            ("$.", "`.` is followed by a name or `*`"), ("$..", "`..` is followed by a name, `*` or `[`"),
            ("$[1", "`,` or `]` is missing"),
            ("$[", "a selector is missing: a quoted name, an index, a slice, `*` or `?` with a condition"),
            ("$[9007199254740992]", "the number is beyond 2^53 - 1"), ("$[-]", "a digit is missing after `-`"),
            ("$[-0]", "the number has a leading zero or is `-0`"),
            ("$[01]", "the number has a leading zero or is `-0`"),
            ("$['a", "the string that begins here does not end"),
            ("$['\u{1}']", "a control character in a string is written as an escape"),
            ("$['\\", "an escape is not complete"), ("$['\\x']", "there is no such escape"),
            ("$['\\uDC00']", "a low surrogate does not follow a high one"),
            ("$['\\uD800']", "a high surrogate is not followed by a low one"),
            ("$['\\uD800\\u0061']", "a high surrogate is not followed by a low one"),
            ("$['\\u12']", "`\\u` is followed by four hexadecimal digits"), ("$[?(@.a]", "`)` is missing"),
            ("$[?]", "a condition is missing: `@`, `$`, a literal or a function"),
            ("$[?foo]", "a condition begins with `@`, `$`, a literal or a function, not with `foo`"),
            ("$[?foo(@)]", "there is no function `foo`, but count, length, match, search and value"),
            ("$[?length()==1]", "`length` takes 1 argument"), ("$[?match(@)]", "`match` takes 2 arguments"),
            ("$[?count(@ == 1)]", "`,` or `)` is missing: functions take values, not conditions"),
            ("$[?count(1)==1]", "a query is expected here, not a value"),
            ("$[?@.*==1]", "a query that may find several values cannot be compared or measured"),
            ("$[?match(@,'a')==true]", "`match` and `search` are true or false, and no value"),
            ("$[?true]", "a literal alone is not a condition; compare it"),
            ("$[?length(@)]", "a value alone is not a condition; compare it"),
            ("$[?@.a==1e]", "a digit is missing"), ("$[?@.a==01]", "the number has a leading zero"),
            ("$[?match(@, '(')]", "the pattern is not an I-Regexp (RFC 9485)"),
            ("$[?match(@, 'a{10000}')]", "the pattern is too large"),
            ("$[?" + String(repeating: "(", count: 32), "the path is nested more than 32 deep"),
            ("/~2", "`~` is followed by 0 or 1 in a pointer"),
        ] as [(String, String)]
    )
    func messages(path: String, message: String) {
        let error = #expect(throws: JSONPathError.self) { try JSONQuery(parsing: path) }
        #expect(error?.userMessage == message)
    }

    @Test("the nesting of a path is limited")
    func nesting() {
        let fits = "$[?" + String(repeating: "(", count: 31) + "@" + String(repeating: ")", count: 31) + "]"
        #expect(throws: Never.self) { try JSONQuery(parsing: fits) }
        for deep in [String(repeating: "(", count: 100_000), String(repeating: "length(", count: 100_000)] {
            #expect(throws: JSONPathError.self) { try JSONQuery(parsing: "$[?" + deep) }
        }
        #expect(throws: JSONPathError.self) { try JSONQuery(parsing: String(repeating: "$[?@", count: 100_000)) }
    }

    // MARK: Pointers

    @Test(
        "the examples of RFC 6901 §5 have their documented results",
        arguments: [
            ("/foo", #"["bar", "baz"]"#), ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("/01", "9"), ("/~01", "10"),
        ]
    )
    func pointers(pointer: String, expected: String) throws {
        let sample = try Sample(
            #"""
            {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
             "01": 9, "~1": 10}
            """#
        )
        #expect(try sample.texts(pointer) == [expected])
        #expect(try sample.texts("") == [sample.text(0)])
    }

    @Test(
        "a token is an index only in canonical form",
        arguments: ["/00", "/01", "/-", "/-1", "/2", "/1e0", "/", "/0/0", "/99999999999999999999"]
    )
    func noIndex(pointer: String) throws {
        #expect(try Sample("[1,2]").texts(pointer) == [])
    }

    @Test(
        "`~` without 0 or 1 is an error at its position",
        arguments: [("/~", 3), ("/~2", 3), ("/ä/~", 5), ("/a~~0", 4)]
    )
    func badPointers(pointer: String, column: Int) {
        let error = #expect(throws: JSONPathError.self) { try JSONQuery(parsing: pointer) }
        #expect(error?.column == column)
    }

    @Test("only paths that find one value at most are singular")
    func singular() throws {
        for path in ["$", "$.a", "$['a'][0][-1].b", "", "/a/0"] { #expect(try JSONQuery(parsing: path).isSingular) }
        for path in ["$.*", "$..a", "$[0,1]", "$[0:1]", "$[?@]", "$['a','a']"] {
            #expect(try !JSONQuery(parsing: path).isSingular)
        }
    }
}
