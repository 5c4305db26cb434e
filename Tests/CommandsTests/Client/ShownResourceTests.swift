import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite show` and `respite config` print of the daemon's documents.
@Suite struct ShownResourceTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test("a resource is shown with all that is known of it")
    func whole() throws {
        let resource = """
            {"uri":"http://h.example/","error":{"status":502,"message":"refused"},"shared":"the daemon b","variants":[{"number":3,
            "state":"fresh","status":200,"partition":"shared","vary":["accept","accept-language"],"size":5,
            "extents":[{"first":0,"last":4},{"first":7,"last":9}],"total":10,"ageSeconds":70,"lifetimeSeconds":60,
            "lifetimeSource":"max-age","ttlSeconds":-10,"isInvalidated":false,"stored":"then","in":"store",
            "tags":["a","b"],"renditions":[{"pipeline":"small","size":2048,"contentType":"text/css",
            "contentEncoding":"br","variation":"v"},{}],"fields":[["ETag","\\"x\\""],["odd"],["a","b","c"]]}]}
            """
        #expect(
            ShowCommand.text(try Self.json(resource)) == """
                http://h.example/
                  error     502 refused
                  shared    the daemon b

                variant 3
                  status    200
                  state     fresh
                  for       shared
                  vary      accept, accept-language
                  size      5 B
                  part      bytes 0-4, 7-9 of 10
                  age       1 min 10 s
                  lifetime  1 min (max-age)
                  ttl       -10 s
                  stored    then
                  in        store
                  tags      a, b
                  rendition small, 2.0 KiB, text/css, br, v
                  rendition -, 0 B
                    ETag: "x"

                """
        )
    }

    @Test("what a daemon does not say is a dash, and what does not apply is left out")
    func empty() throws {
        #expect(ShowCommand.text(try Self.json("{}")) == "-\n")
        #expect(ShowCommand.text(try Self.json("{\"error\":{}}")) == "-\n  error     0 \n")
        #expect(
            ShowCommand.text(try Self.json("{\"variants\":[{\"extents\":[{}]}]}")) == """
                -

                variant 0
                  status    0
                  state     -
                  for       -
                  size      0 B
                  part      bytes 0-0 of an unknown length
                  age       0 s
                  lifetime  0 s (-)
                  ttl       0 s
                  stored    -
                  in        -

                """
        )
    }

    @Test("the size of a part is told with the whole, to programs without")
    func parts() throws {
        let known = Table.Cell.size(try Self.json(#"{"size":5,"extents":[{"first":0,"last":4}],"total":2048}"#))
        #expect(known.human == "5 B of 2.0 KiB" && known.plain == "5")
        #expect(Table.Cell.size(try Self.json(#"{"size":5,"extents":[{}]}"#)).human == "5 B of ?")
        #expect(Table.Cell.size(try Self.json(#"{"size":5,"total":2048}"#)).human == "5 B")
        #expect(Table.Cell.size(try Self.json(#"{"extents":[{}]}"#)).plain == "-")
    }

    @Test("the configuration of a URL has its service, rules, values and transformers, each with its origin")
    func configuration() throws {
        let document = """
            {"method":"GET","url":"http://h.example/?a","uri":"http://h.example/","service":{"name":"s","base":"http://h.example/",
            "origin":"file 1"},"rules":[{"name":"r","match":"http://h.example/*","origin":"file 2"}],
            "values":[{"name":"mode","value":"auto","origin":"default"},
            {"name":"ttl","value":"5s","if":"cookie","rule":"r","origin":"file 3"},{"name":"n","origin":"default"}],
            "pipeline":[{"stage":"store","transformer":"brotli","if":"text","rule":"r","origin":"file 4"}]}
            """
        #expect(
            ConfigurationText.text(try Self.json(document)) == """
                GET http://h.example/?a
                looked up as http://h.example/
                service s, base http://h.example/  # file 1

                r: http://h.example/*  # file 2

                mode = auto  # default
                ttl = 5s if cookie  # r, file 3
                n = as the response says  # default

                store: brotli if text  # r, file 4

                """
        )
    }

    @Test("where nothing applies the configuration says so, and the settings alone are lines")
    func plain() throws {
        let document = try Self.json(#"{"method":"GET","url":"http://h.example/","uri":"http://h.example/"}"#)
        #expect(
            ConfigurationText.text(document)
                == "GET http://h.example/\nno service\nno rule applies\n\n\nno transformers\n"
        )
        let settings = try Self.json(#"{"settings":[{"name":"loops","value":"2","origin":"default"},{}]}"#)
        #expect(ConfigurationText.text(settings) == "loops = 2  # default\n = as the response says  # -\n")
    }
}
