import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What `respite reload` and `respite mode` print.
@Suite struct ChangeTextTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test("a reload tells what has changed, came or went, and apart from it what waits for a restart")
    func reload() throws {
        let waiting = #""needsRestart":[{"name":"listen","old":"[1]","new":"[2]"}]"#
        let document = """
            {"changed":[{"name":"loops","old":"1","new":"2"},{"name":"a\\u001b","new":"x\\u001b"},
            {"name":"b","old":"y"},{"name":"c"},{"name":"d","old":"s","new":"s"},{}],\(waiting)}
            """
        #expect(
            ReloadCommand.text(try Self.json(document)) == """
                in force now:
                  loops = 2, was 1
                  a\u{FFFD} = x\u{FFFD}, is new
                  b was y, is gone
                  c
                  d
                  -
                in force after a restart:
                  listen = [2], was [1]

                """
        )
        #expect(ReloadCommand.text(try Self.json("{}")) == "nothing has changed\n")
        #expect(
            ReloadCommand.text(try Self.json("{\(waiting)}"))
                == "nothing has changed\nin force after a restart:\n  listen = [2], was [1]\n"
        )
    }

    @Test("the mode is shown with those that services have of their own, and the origins that are down")
    func mode() throws {
        let document = """
            {"mode":"auto","services":[{"name":"a","mode":"offline","own":true},{"name":"b","mode":"auto","own":false},
            {"name":"c","mode":"auto"},{"own":true}],
            "outages":[{"origin":"http://d.example","since":"then","reason":"refused"},{}]}
            """
        let rows = ModeCommand.rows(try Self.json(document))
        #expect(
            rows.map { $0.map(\.plain) } == [
                ["mode", "auto"], ["service a", "offline"], ["service -", "-"],
                ["down", "http://d.example since then: refused"], ["down", "- since -: -"],
            ]
        )
        #expect(rows.map { $0.last?.color } == [nil, nil, nil, 33, 33])
        #expect(ModeCommand.rows(try Self.json("{}")).map { $0.map(\.plain) } == [["mode", "-"]])
    }
}
