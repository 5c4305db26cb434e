import Glibc
import Settings
import Testing
import TestSupport

/// What transformers made of stored responses, and what of that outlives the process.
struct RenditionTests {
    private static let count = 4000

    /// JSON with blanks in it.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let members = (0..<count).map { " \"member \($0)\" : [ \($0) ,  true ]" }.joined(separator: " ,\n")
            let fields = ["Cache-Control: max-age=600", "Content-Type: application/json", "ETag: \"a\""]
            try exchange.reply("200 OK", fields, body: "{\n" + members + "\n}")
        }
    }

    private static let minified =
        "{" + (0..<count).map { "\"member \($0)\":[\($0),true]" }.joined(separator: ",") + "}"

    private static func daemon(_ home: TemporaryDirectory, transform: String) throws -> DaemonProcess {
        let file = try home.write(
            "[[rule]]\nmatch = \"http://127.0.0.1:*/**\"\ntransform = [\(transform)]\n",
            to: "respite.toml"
        )
        return try DaemonProcess(["--config", file], home: home)
    }

    @Test(
        "transformations of whole contents take limits.transform-memory at most, all together; the others wait (H-131)"
    )
    func memory() throws {
        let text = "{\"a\":[" + (0..<200_000).map { "\($0)" }.joined(separator: ",") + "]}"
        let origin = try ScriptedOrigin {
            try $0.reply("200 OK", ["Cache-Control: max-age=600", "Content-Type: application/json"], body: text)
        }
        let home = TemporaryDirectory()
        let file = try home.write(
            "limits.transform-memory = \"8MiB\"\nlimits.transform-time = \"10m\"\n[[rule]]\nmatch = \"http://127.0.0.1:*/**\"\n"
                + "transform = [{ json = \"select\", path = \"$.a[0]\" }]\n",
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(["--config", file], home: home)
        // One of 1.3 MiB needs 3.9 MiB of it: two at a time run.
        let answers = (0..<12).map { number in Pending { try daemon.get(origin.url("/\(number)")) } }
        let most = SharedValue(0)
        let done = SharedValue(false)
        let watch = BackgroundThread {
            while !done.current {
                let status = (try? daemon.admin("GET", "/v1/status").text) ?? ""
                let part = status.ranges(of: "\"limits.transform-memory\",\"usedBytes\":").first
                let used = part.flatMap { Int(status[$0.upperBound...].prefix { $0.isNumber }) } ?? 0
                most.update { $0 = max($0, used) }
            }
        }
        for answer in answers {
            let response = try answer.result()
            #expect(response.status == 200 && response.text == "0", "\(response.text.prefix(200))")
        }
        done.update { $0 = true }
        try watch.join()
        #expect((1...(8 << 20)).contains(most.current))
    }

    /// Forms made by transformers, and those taken from the store.
    private static func statistics(_ daemon: DaemonProcess) throws -> [String] {
        let text = try daemon.admin("GET", "/metrics").text
        return ["respite_renditions_made_total", "respite_renditions_restored_total"].map { name in
            text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map(String.init) ?? "\(name) is missing"
        }
    }

    @Test(
        "after a restart or kill -9 a form is a hit, and no transformer runs",
        arguments: [SIGTERM, SIGKILL],
        ["{ json = \"minify\" }", "{ json = \"minify\" }, { encode = \"gzip\" }"]
    )
    func restart(signal: Int32, transform: String) throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try Self.daemon(home, transform: transform)
        let events = try before.events()
        let first = try before.get(origin.url("/a"), ["Accept-Encoding: gzip"])
        #expect(first.status == 200 && !first.content.isEmpty)
        // The original, and the form.
        for what in ["response", "form"] { _ = try events.next("durable \(what)") { $0.contains("durable") } }
        #expect(
            try Self.statistics(before) == ["respite_renditions_made_total 1", "respite_renditions_restored_total 0"]
        )
        try before.stop(signal: signal)

        let after = try Self.daemon(home, transform: transform)
        let again = try after.get(origin.url("/a"), by: .prefix, ["Accept-Encoding: gzip"])
        #expect(again.isHit && again.content == first.content && again["ETag"] == first["ETag"])
        #expect(again["Content-Encoding"] == first["Content-Encoding"])
        if first["Content-Encoding"] == nil { #expect(again.text == Self.minified) }
        #expect(
            try Self.statistics(after) == ["respite_renditions_made_total 0", "respite_renditions_restored_total 1"]
        )
        #expect(origin.requests.count == 1)
        let shown = try after.tool("show", origin.url("/a"))
        #expect(shown.output.contains("  rendition 1-") && shown.output.contains(", application/json"))
        #expect(try after.tool("purge", origin.url("/a")).output.hasPrefix("1"))
    }

    @Test("a changed rule makes its own form of the stored original, and that one is stored then")
    func changedRule() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try Self.daemon(home, transform: "{ json = \"minify\" }")
        let events = try before.events()
        #expect(try before.get(origin.url("/a")).text == Self.minified)
        for what in ["response", "form"] { _ = try events.next("durable \(what)") { $0.contains("durable") } }
        try before.stop()

        let after = try Self.daemon(home, transform: "{ json = \"select\", path = \"$['member 1']\" }")
        let events2 = try after.events()
        let selected = try after.get(origin.url("/a"))
        #expect(selected.status == 200 && selected.text.contains("true") && selected.text != Self.minified)
        _ = try events2.next("durable form") { $0.contains("durable") }
        #expect(
            try Self.statistics(after) == ["respite_renditions_made_total 1", "respite_renditions_restored_total 0"]
        )
        let variant = try after.admin("GET", "/v1/resources?uri=\(origin.url("/a"))").json["variants"]?.elements.first
        #expect(variant?["renditions"]?.elements.count == 1)
        // The old names, for one version.
        #expect(variant?["forms"] == variant?["renditions"])
        let metrics = try after.admin("GET", "/metrics").text
        for line in ["respite_forms_made_total 1", "respite_forms_restored_total 0"] {
            #expect(metrics.contains("\n\(line)\n"), "\(line)")
        }
        #expect(origin.requests.count == 1)
    }
}
