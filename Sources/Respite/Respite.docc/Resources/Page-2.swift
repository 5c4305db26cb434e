import Respite

@main
enum Page {
    static func main() async {
        let service = Service(baseURL: "https://example.org/")
        let page = service.resource("/")
    }
}
