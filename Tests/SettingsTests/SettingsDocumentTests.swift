import Testing

@testable import Settings

@Suite struct SettingsDocumentTests {
    /// etc/respite.toml of this source tree.
    private var exampleFile: String {
        get throws {
            let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
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

    @Test("a listing of settings is a file that gives them again")
    func listing() throws {
        let loaded = try load("loops = 7\nadmin = []\nhosts.\"a\" = \"::1\"\n[cache]\nstale-if-error = \"1d\"")
        #expect(try load(SettingsDocument.listing(loaded)).values == loaded.values)
    }

    @Test("schema and listing are JSON with one object for each setting")
    func json() throws {
        let schema = try JSONReader.parse(SettingsDocument.schemaJSON)
        let listing = try JSONReader.parse(SettingsDocument.listingJSON(LoadedSettings(values: DaemonSettings())))
        for document in [schema, listing] {
            guard case .array(let entries) = document else {
                Issue.record("no array")
                continue
            }
            #expect(entries.count == SettingKey.all.count)
        }
    }
}
