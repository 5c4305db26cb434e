import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import Testing

/// Requests of programs.
@Suite("Fields of a request")
struct HTTPRequestTests {
    @Test(
        "a value has no line end, no NUL and no outer blanks (RFC 9110 §5.5)",
        arguments: [
            ("a", "a"), ("\t a\tb \t", "a\tb"), ("\r\n", ""), ("a\r\nb: c", "a  b: c"), ("\u{0}x\u{0}", "x"),
            ("", ""), (" \t ", ""), ("a\u{0}b", "a b"), ("\u{B}x\u{1F}", "\u{B}x\u{1F}"), ("ü", "ü"),
        ]
    )
    func values(given: String, sent: String) {
        var request = HTTPRequest(method: .get, url: World.uri("/a"))
        request[field: "X-A"] = given
        #expect(request[field: "x-a"] == sent)
    }

    @Test("a field that is set replaces all of its name, nil removes it, and what is no name changes nothing")
    func names() {
        var fields = Fields()
        for value in ["1", "2"] { fields.append(name: "X-A", value: value) }
        var request = HTTPRequest(method: .get, url: World.uri("/a"), fields: fields)
        #expect(request[field: "X-A"] == "1, 2")
        request.setValue("3", forField: "x-A")
        #expect(request[field: "X-A"] == "3")
        for name in ["", "a b", "a:", "ü"] { request[field: name] = "x" }
        #expect(request.fields.lines.count == 1)
        request[field: "X-A"] = nil
        #expect(request[field: "X-A"] == nil && request.fields.lines.count == 0)
    }

    @Test("content is bytes or a file, whichever was set last; taking away what is not set changes nothing")
    func content() {
        var request = HTTPRequest(method: .put, url: World.uri("/a"), body: [1])
        request.bodyFile = nil
        #expect(request.body == [1] && request.bodyFile == nil)
        request.bodyFile = "/a"
        #expect(request.body == nil && request.bodyFile == "/a")
        request.body = [2]
        #expect(request.body == [2] && request.bodyFile == nil)
        request.bodyFile = "/b"
        request.bodyFile = nil
        #expect(request.body == nil && request.bodyFile == nil)
        request.bodyFile = "/c"
        request.body = nil
        #expect(request.body == nil && request.bodyFile == nil)
    }
}
