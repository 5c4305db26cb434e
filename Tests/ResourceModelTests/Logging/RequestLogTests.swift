import TestDoubles
import Exchanges
import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

extension LogTests {
    @Test("a request is named by what it does (S-130)")
    func names() {
        let world = ProgramWorld()
        let resource = world.resource()
        let post = resource.request(.post)
        let requests = [
            post, post.chained { _ in .useThisResponse }, Resource.failedRequest(returning: RequestError()),
            Request(resource), Resource.prepareRequest(using: FixedDelegate("x")),
        ]
        let url = "http://origin.example/a"
        let names = ["POST \(url)", "chain on POST \(url)", "hard-wired request", "load of \(url)", "FixedDelegate"]
        #expect(requests.map { $0.delegate.requestDescription } == names)
    }

    @Test(
        "a second result is logged as a warning, one behind a cancellation as a detail, its echo not at all (T-263, S-133)"
    )
    func ignoredResults() {
        let cancelled = ResponseInfo.cancellation()
        let answer = ResponseInfo(response: .success(Entity(content: "", contentType: "a/b")))
        withLog([.network, .networkDetails]) { heard in
            heard.listen(for: "WARNING: mark")
            RequestCompletion.logIgnored(answer, by: "mark", isCancelled: false)
            heard.listen(for: "mark")
            RequestCompletion.logIgnored(answer, by: "mark", isCancelled: true)
            RequestCompletion.logIgnored(cancelled, by: "mark", isCancelled: true)
            #expect(heard.all.count == 2)
            #expect(heard.all[0].hasPrefix("network: WARNING") && heard.all[1].hasPrefix("networkDetails: mark"))
        }
    }

    @Test("requests log their start, their end, and what is ignored; never content or fields (S-130, S-133)")
    func requests() {
        withLog([.network, .networkDetails]) { heard in
            let url = "http://origin.example/logged"
            heard.listen(for: "GET \(url)")
            let world = ProgramWorld()
            world.service.configure { $0.headers["Authorization"] = "SECRET" }
            let request = world.resource("/logged").request(.get)
            world.networking.last.answer(200, [("Set-Cookie", "SECRET")], "SECRET")
            world.runUntilIdle()
            request.cancel()
            heard.listen(for: "WARNING: GET \(url)")
            world.networking.last.answer(200, [], "SECRET")
            #expect(heard.all.count == 5 && !heard.all.contains { $0.contains("SECRET") })
            #expect(heard.all.map { $0.prefix(8) == "networkD" } == [false, true, false, false, false])
        }
    }
}
