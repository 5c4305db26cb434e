import Respite

@main
enum Page {
    static func main() async {
        let service = Service(baseURL: "https://example.org/")
        let page = service.resource("/")
        do {
            let entity = try await page.load().entity
            print(entity.contentType, entity.text.count)
        } catch {
            print(error.userMessage)
        }
    }
}

/// Prints what happens to a resource.
final class Printer: ResourceObserver {
    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        let state = change.state
        print(change.event, state.text.count, state.latestError?.userMessage ?? "no error")
    }
}
