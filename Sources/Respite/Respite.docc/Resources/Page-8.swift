import Respite

@main
enum Page {
    private static let printer = Printer()

    static func main() async {
        let service = Service(baseURL: "https://example.org/", cache: .sqlite(directory: "kept"))
        let page = service.resource("/")
        page.addObserver(printer)
        _ = await page.loadIfNeeded()?.outcome
        await service.flush()
    }
}

/// Prints what happens to a resource.
final class Printer: ResourceObserver {
    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        let state = change.state
        print(change.event, state.text.count, state.latestError?.userMessage ?? "no error")
    }
}
