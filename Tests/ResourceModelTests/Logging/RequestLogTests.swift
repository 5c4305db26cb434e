import TestDoubles
import Exchanges
import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

extension LogTests {
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
