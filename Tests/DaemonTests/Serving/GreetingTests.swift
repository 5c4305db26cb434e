import Testing

@testable import Daemon

/// What a terminal shows when the daemon serves.
@Suite struct GreetingTests {
    @Test(
        "the page to open and the next command are those of a listener that this machine can name",
        arguments: [
            (["127.0.0.1:3128"], "http://127.0.0.1:3128/", "respite env)"),
            (["unix:/run/s", "0.0.0.0:99"], "http://127.0.0.1:99/", "respite env --listen 127.0.0.1:99)"),
            (["[::]:99"], "http://[::1]:99/", "respite env --listen [::1]:99)"),
            (["https://127.0.0.1:4", "127.0.0.1:5"], "http://127.0.0.1:5/", "respite env --listen 127.0.0.1:5)"),
        ]
    )
    func forward(listeners: [String], page: String, command: String) {
        let text = Greeting(forwardListeners: listeners, listeners: listeners).text
        #expect(text.contains("Open \(page) ") && text.contains("eval \"$(\(command)\""), "\(text)")
        #expect(
            text.contains("serves at \(listeners.joined(separator: ", ")).") && text.hasSuffix("Ctrl-C ends it.\n\n")
        )
    }

    @Test("a reverse proxy has no page of its own to open")
    func gateway() {
        let text = Greeting(forwardListeners: [], listeners: ["127.0.0.1:80"]).text
        #expect(text.contains("serves at 127.0.0.1:80.") && text.contains("respite status") && !text.contains("Open "))
    }
}
