import Foundation
import RespiteFoundation
import TestSupport
import Testing

/// A user as the README's model makes it.
private struct UserProfile: Decodable, Sendable, Equatable {
    var name: String
    var favoriteColor: String

    init?(json: [String: any Sendable]) {
        guard let name = json["name"] as? String, let color = json["favoriteColor"] as? String else { return nil }
        (self.name, favoriteColor) = (name, color)
    }
}

extension Resource {
    /// Returns once something on the main actor holds, after an event that its observers have been told.
    @MainActor fileprivate func until(_ holds: @MainActor () -> Bool) async {
        for await _ in events where holds() { return }
    }
}

/// The view controller: labels are texts here, and the activity indicator is a Boolean.
@MainActor private final class ProfileController: MainActorObserver {
    let api: Service
    var nameLabel: String?
    var colorLabel: String?
    var errorLabel: String?
    var isIndicatorHidden = true
    var shown: UserProfile?

    init(_ api: Service) { self.api = api }

    var profile: Resource { api.resource("/profile") }

    func viewDidLoad() { api.resource("/profile").addObserver(self) }

    func viewWillAppear() { api.resource("/profile").loadIfNeeded() }

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        nameLabel = resource.jsonDict["name"] as? String
        colorLabel = resource.jsonDict["favoriteColor"] as? String
        errorLabel = resource.latestError?.userMessage
    }

    func observeByClosure() {
        api.resource("/profile").addMainActorObserver(owner: self) { [weak self] resource, _ in
            self?.nameLabel = resource.jsonDict["name"] as? String
            self?.colorLabel = resource.jsonDict["favoriteColor"] as? String
            self?.errorLabel = resource.latestError?.userMessage
        }
    }

    func observeModel() {
        api.resource("/profile").addMainActorObserver(owner: self) { [weak self] resource, _ in
            self?.showProfile(resource.typedContent())
        }
    }

    func observeLoading() {
        api.resource("/profile").addMainActorObserver(owner: self) { [weak self] resource, _ in
            self?.isIndicatorHidden = !resource.isLoading
        }
    }

    func showProfile(_ profile: UserProfile?) { shown = profile }
}

/// The view for remote images: an image is its header with its bytes.
@MainActor private final class RemoteImageView {
    static let imageCache = Service(networking: URLSessionNetworking(), delivery: .mainActor)

    var image: ImageHeader?
    var placeholderImage: ImageHeader?

    var imageURL: URL? {
        get { imageResource?.foundationURL }
        set { imageResource = Self.imageCache.resource(absoluteURL: newValue) }
    }

    var imageResource: Resource? {
        willSet {
            imageResource?.removeObservers(ownedBy: self)
            imageResource?.cancelLoadIfUnobserved(afterDelay: .milliseconds(50))
        }
        didSet {
            imageResource?.loadIfNeeded()
            imageResource?.addMainActorObserver(owner: self) { [weak self] resource, _ in
                self?.image = resource.typedContent(ifNone: self?.placeholderImage)
            }
        }
    }
}

@Suite("The examples of Siesta's README")
@MainActor struct SiestaReadmeTests {
    private let origin = AnsweringOrigin { request in
        switch request.target {
        case "/profile":
            .init(200, [("Content-Type", "application/json")], #"{"name": "Anna", "favoriteColor": "green"}"#)
        case "/image": .init(200, [("Content-Type", "image/gif")], "GIF89a\u{1}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0};")
        default: .init(404, [], "")
        }
    }

    private func made() -> ProfileController {
        let api = Service(baseURL: origin.url, networking: URLSessionNetworking(), delivery: .mainActor)
        // Longer than any test takes.
        api.configure { $0.expirationTime = .seconds(3600) }
        return ProfileController(api)
    }

    @Test("a controller observes, is told of the state, and loads what is stale (S-085, S-207)")
    func controller() async {
        let controller = made()
        controller.viewDidLoad()
        controller.viewWillAppear()
        await controller.profile.until { controller.nameLabel != nil }
        #expect(controller.nameLabel == "Anna" && controller.colorLabel == "green" && controller.errorLabel == nil)
        // Up to date: no second request.
        controller.viewWillAppear()
        #expect(origin.requests.count == 1)
    }

    @Test("closures observe, too, and tell when it loads (S-205)")
    func closures() async {
        let controller = made()
        controller.observeByClosure()
        controller.observeLoading()
        controller.viewWillAppear()
        await controller.profile.until { controller.nameLabel == "Anna" && controller.isIndicatorHidden }
        #expect(controller.colorLabel == "green")
    }

    @Test("a transformer makes models of JSON, or a decoder of bytes (S-055, S-175)")
    func models() async {
        for isDecoded in [false, true] {
            let controller = made()
            if isDecoded {
                controller.api.configureTransformer("/profile") {
                    try JSONDecoder().decode(UserProfile.self, from: $0.content)
                }
            } else {
                controller.api.configureTransformer("/profile") { UserProfile(json: $0.content) }
            }
            controller.observeModel()
            controller.viewWillAppear()
            await controller.profile.until { controller.shown != nil }
            #expect(controller.shown?.name == "Anna")
        }
    }

    @Test("an image view of a few lines loads and shows remote images (S-106, S-181)")
    func images() async {
        let view = RemoteImageView()
        view.imageURL = URL(string: origin.url + "/image")
        await view.imageResource?.until { view.image != nil }
        #expect(view.image?.width == 1 && view.imageURL?.path == "/image")
        view.imageURL = URL(string: origin.url + "/none")
        await view.imageResource?.until { view.imageResource?.latestError != nil }
        #expect(view.image == nil)
    }
}
