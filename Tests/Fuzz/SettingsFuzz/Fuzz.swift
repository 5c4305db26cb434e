import JSON
import Settings

/// Feeds settings files, `--set` arguments and JSON of the admin API; whatever comes, there is a value or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSettings(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0: readFile(input)
    case 1: readAssignment(String(decoding: input, as: UTF8.self))
    default: readJSON(input)
    }
    return 0
}

private func readFile(_ bytes: [UInt8]) {
    var reader = SettingsReader()
    do {
        reader.read(bytes, name: "fuzz.toml")
        let loaded = try reader.finish()
        // What was read is shown so that it reads the same.
        var again = SettingsReader()
        again.read(Array(SettingsDocument.listing(loaded).utf8), name: "listing")
        guard try again.finish().values == loaded.values else { fatalError("the listing reads differently") }
    } catch {
        guard !error.description.isEmpty else { fatalError("an error says nothing") }
        guard error.source != "listing" else { fatalError("the listing is refused: \(error)") }
    }
}

private func readAssignment(_ text: String) {
    var reader = SettingsReader()
    do {
        reader.set(text)
        _ = try reader.finish()
    } catch {
        guard !error.description.isEmpty else { fatalError("an error says nothing") }
    }
}

private func readJSON(_ bytes: [UInt8]) {
    guard let value = try? JSONReader.parse(bytes) else { return }
    _ = try? JSONCursor(value).requireObject(members: ["url", "urls"])
}
