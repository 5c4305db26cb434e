import JSON
import Platform
import Testing

@testable import Settings

@Suite struct SettingsDocumentTests {
    /// etc/respite.toml of this source tree.
    private var exampleFile: String {
        get throws {
            let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
            return String(decoding: try SmallFile.read("\(root)/etc/respite.toml", limit: 1 << 20), as: UTF8.self)
        }
    }

    @Test("etc/respite.toml is what `respite config schema --toml` prints")
    func exampleIsCurrent() throws {
        #expect(try exampleFile == SettingsDocument.example)
    }

    @Test("etc/respite.toml as it is and with all comments taken away gives the defaults")
    func exampleIsDefault() throws {
        let text = try exampleFile
        #expect(try load(text).values == DaemonSettings())
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let active = lines.map { $0.hasPrefix("# ") ? $0.dropFirst(2) : $0 }.joined(separator: "\n")
        let loaded = try load(active)
        #expect(loaded.values == DaemonSettings())
        #expect(loaded.origins.count == SettingKey.all.count)
    }

    @Test("every setting's default can be read back by --set, and has a summary")
    func defaultsRoundTrip() throws {
        for key in SettingKey.all {
            #expect(try load("", options: ["\(key.name)=\(key.defaultText)"]).values == DaemonSettings(), "\(key.name)")
            #expect(!key.summary.isEmpty && !key.typeName.isEmpty)
        }
    }

    @Test("a member of a table is told with its default; one that is empty by default has none")
    func tableDefaults() throws {
        for (name, text) in [("rule.retry.attempts", "3"), ("rule.methods", nil), ("rule.transform.fields.set", nil)] {
            let setting = try #require(DocumentedSetting.all.first { $0.name == name })
            #expect(setting.defaultText == text, "\(name)")
        }
        #expect(SettingsDocument.schema.contains("\nrule.retry.attempts  (number, 2 to 10; default 3)\n"))
    }

    @Test("a listing of settings is a file that gives them again")
    func listing() throws {
        let loaded = try load(
            """
            loops = 7
            admin = []
            hosts."a" = "::1"
            [cache]
            stale-if-error = "1d"
            [service.github]
            base = "https://API.github.example:443/v3/"
            headers = { Authorization = { file = "token", prefix = "Bearer " }, "X-A" = "b \\" c" }
            allow-origins = ["https://App.example"]
            inject = "all"
            [[service.github.rule]]
            match = "repos/**"
            ttl = "60s"
            [[rule]]
            match = "https://*.com.example/**"
            methods = ["GET", "HEAD"]
            content-types = "*/JSON"
            status = [200, "4xx", "500-599", "404"]
            stale-if-error = "1d"
            stale-while-revalidate = 0
            never-cache = false
            vary-add = ["Accept-Language"]
            keep-original = true
            force = true
            oversize = "fail"
            transform = [
                { decode = "all" }, { charset = "utf-8" }, { json = "validate", stage = "decoding" }, { json = "minify" },
                { json = "pretty", indent = 4 }, { json = "select", path = "$.items" },
                { redact = ["$.token", "/a/b"], with = "…" }, { redact = "$.x", status = 200 },
                { substitute = "text", with = "", ignore-case = true }, { substitute = "b", with = "c" },
                { fields = { set = { X-A = "b", A = "", "X.B!" = "c" }, add = { B = "c" }, remove = ["X-*"] } },
                { links = "prefix", content-types = ["text/html"] },
                { encode = ["br", "zstd", "gzip", "deflate"] }, { encode = "gzip", always = true },
            ]
            [[rule]]
            match = "http://h.example/"
            drop-query = ["utm_*"]
            sort-query = true
            transform = ["none", { links = "prefix" }]
            [[rule]]
            match = "http://h.example/"
            transform = "none"
            """
        )
        #expect(loaded.values.rules.count == 3 && loaded.values.rules[0].transform?.steps.count == 14)
        #expect(try load(SettingsDocument.listing(loaded)).values == loaded.values)
    }

    @Test("the schema as JSON has of each setting all that its text has")
    func schemaMembers() throws {
        let entries = try JSONReader.parse(SettingsDocument.schemaJSON).elements
        for (entry, setting) in zip(entries, DocumentedSetting.all) {
            let texts = ["name", "type", "default", "summary"].map { entry[$0]?.text }
            #expect(texts == [setting.name, setting.typeName, setting.defaultText, setting.summary])
        }
        let listing = try JSONReader.parse(SettingsDocument.listingJSON(try load("loops = 7"))).elements
        let loops = try #require(listing.first { $0["name"]?.text == "loops" })
        #expect(loops["value"]?.text == "7" && loops["origin"]?.text?.contains("1") == true)
    }

    @Test("schema and listing are JSON with one object for each setting")
    func json() throws {
        let schema = try JSONReader.parse(SettingsDocument.schemaJSON)
        let listing = try JSONReader.parse(SettingsDocument.listingJSON(LoadedSettings(values: DaemonSettings())))
        for (document, count) in [(schema, DocumentedSetting.all.count), (listing, SettingKey.all.count)] {
            guard case .array(let entries) = document else {
                Issue.record("no array")
                continue
            }
            #expect(entries.count == count)
        }
    }

    @Test("the manual has the examples of tables as a file has them, and what is said of them as comments")
    func plainTables() {
        let lines = SettingsDocument.plainTables.split(separator: "\n")
        for line in [
            "#", "# Lists of URLs that are loaded at the start and then at intervals. For example:", "[[warm]]",
        ] {
            #expect(lines.contains(line[...]), "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("every = \"1h\"") })
    }
}
