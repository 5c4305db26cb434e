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
