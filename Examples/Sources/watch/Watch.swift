import Respite

/// Loads a resource and tells what happens to it.
///
///     watch URL [--cache DIRECTORY] [--log]
///
/// With `--cache` what was loaded is there when the program is run again.
@main
enum Watch {
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let isLogging = words.contains("--log")
        words.removeAll { $0 == "--log" }
        var directory: String?
        if let place = words.firstIndex(of: "--cache"), place + 1 < words.count {
            directory = words[place + 1]
            words.removeSubrange(place...(place + 1))
        }
        guard words.count == 1 else { return print("usage: watch URL [--cache DIRECTORY] [--log]") }
        if isLogging { RespiteLog.Category.enabled = RespiteLog.Category.detailed }

        let cache = directory.map { SQLiteEntityCache(directory: $0) }
        let service = Service(cache: cache.map { PersistentCache($0) })
        await watch(words[0], of: service)
        await cache?.flush()
    }

    /// Shows what there is, then loads twice: the second answer may be a confirmation of the first.
    private static func watch(_ url: String, of service: Service) async {
        let resource = service.resource(absoluteURL: url)
        let printer = Printer()
        resource.addObserver(printer)
        if let request = resource.loadIfNeeded() {
            show(await request.outcome)
        } else {
            print("fresh: nothing to load")
        }
        show(await resource.load().outcome)
        // A resource does not keep its observers.
        withExtendedLifetime(printer) {}
    }

    private static func show(_ info: ResponseInfo) {
        switch info.response {
        case .success(let entity):
            let size = entity.header(forKey: "content-length") ?? "?"
            print(info.isNew ? "loaded:" : "confirmed:", entity.contentType, "of", size, "bytes")
        case .failure(let error):
            print("failed:", error.userMessage)
        }
    }
}

/// Prints events with the state after them.
private final class Printer: ResourceObserver {
    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        let state = change.state
        print(
            "event:",
            change.event.text,
            state.isLoading ? "(loading)" : "",
            state.latestData?.contentType ?? "no data"
        )
    }

    func resourceRequestProgress(_ resource: Resource, _ progress: Double) {
        print("progress:", Int(progress * 100), "%")
    }
}
