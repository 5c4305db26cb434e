import HTTPCore
import Testing

/// Lists of URLs, one a line.
@Suite struct URLListTests {
    private static func list(_ text: String) -> URLList { URLList(parsing: Array(text.utf8)) }

    @Test("a line is a URL; comments, empty lines, blanks around and repetitions say nothing")
    func urls() {
        let text = "# a\r\n\nhttp://a.example/x\r\n  https://B.example \n\thttp://a.example:80/x\n#http://c.example\n"
        let list = Self.list(text)
        #expect(list.urls.map(\.text) == ["http://a.example/x", "https://b.example/"])
        #expect(list.faults.isEmpty && Self.list("").urls.isEmpty)
    }

    @Test(
        "what is no URL is a mistake with its line; all are told, and none is quoted",
        arguments: [
            "secret", "ftp://secret.example/", "http://secret.example/ x", "http://", "http://secret.example/*",
        ]
    )
    func faults(line: String) {
        let list = Self.list("http://a.example/\n\(line)\n\nhttp://b.example/\n\(line)")
        #expect(list.faults.map(\.line) == [2, 5] && list.urls.count == 2)
        for message in list.faults.map(\.userMessage) {
            #expect(!message.contains("secret") && message.contains("write"))
        }
    }

    @Test("a list of more than 100,000 URLs is refused, at the first line too many")
    func limit() {
        let text = (0...URLList.limit).map { "http://a.example/\($0)" }.joined(separator: "\n")
        let list = Self.list(text + "\nhttp://a.example/1")
        #expect(list.faults.map(\.line) == [URLList.limit + 1] && list.urls.count == URLList.limit)
        #expect(list.faults.map(\.userMessage) == ["the list has more than 100000 URLs; split it"])
    }
}
