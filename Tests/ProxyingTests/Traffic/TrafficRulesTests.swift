import Exchanges
import HTTPCore
import Locking
@testable import Proxying
import ResourceCore
import TestSupport
import Testing

/// Rules that let requests fail.
@Suite struct TrafficRulesTests {
    @Test("a share of 0.25 fails the requests whose number is below it, and serves the others from the store")
    func share() throws {
        let numbers = Lock([0.25, 0.9, 0.24, 0.0, 0.5])
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
        let proxy = try TestProxy { setup in
            setup.chance = { numbers.withLock { $0.removeFirst() } }
        }
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.fault = TrafficRules.Fault(.status(503), share: 0.25)
        }
        let statuses = (0..<5).map { _ in proxy.ask(origin.url("/x"))?.status }
        #expect(statuses == [200, 200, 503, 503, 200])
        #expect(origin.requests.count == 1)
    }

    /// A proxy in which one request in two gets no response.
    private static func silentProxy() throws -> TestProxy {
        let isSilent = Lock(false)
        let proxy = try TestProxy { setup in
            setup.chance = {
                isSilent.withLock { value in
                    value.toggle(); return value ? 0 : 1
                }
            }
        }
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.fault = TrafficRules.Fault(.timeout, share: 0.5)
        }
        return proxy
    }

    @Test(
        "a request without response ends with its client, whether it has content or not",
        arguments: ["", "12345", String(repeating: "x", count: 300_000)]
    )
    func silentEnd(content: String) throws {
        let proxy = try Self.silentProxy()
        let client = proxy.client()
        let method = content.isEmpty ? "GET" : "POST"
        #expect(client.send(proxy.request(method, "http://silent.example/", content: content)))
        client.shutdownWrite()
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
    }

    @Test("a request without response does not hold up a stop", arguments: ["", "12345"])
    func silentStop(content: String) throws {
        let origin = TestOrigin.answering { _ in response("200 OK", content: "hello") }
        let proxy = try Self.silentProxy()
        let client = proxy.client()
        let method = content.isEmpty ? "GET" : "POST"
        #expect(client.send(proxy.request(method, origin.url("/x"), content: content)))
        // The loop has read the first request when it answers the second.
        #expect(proxy.ask(origin.url("/x"))?.status == 200)
        #expect(proxy.drain())
        #expect(client.receiveAll().text.isEmpty)
    }

    @Test("what is denied while a request is delayed is not served to it, even from the store")
    func deniedMeanwhile() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/x"))?.status == 200)
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.delay = .seconds(1)
        }
        let client = proxy.client()
        #expect(client.send(proxy.request("GET", origin.url("/x"), ["Connection: close"])))
        // The loop has read the first request when it answers this one.
        #expect(proxy.ask("/")?.status == 200)
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.policies.denial = Denial("not here", rule: "rule 1")
        }
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 403 "))
        #expect(origin.requests.count == 1)
    }

    @Test("a redirect goes to the URL of the rule, is not cached, and names us in Via")
    func redirect() throws {
        let proxy = try TestProxy()
        proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.redirect = TrafficRules.Redirect(to: "http://b.example$path", status: 307)
        }
        let reply = try #require(proxy.ask("http://a.example/x?y"))
        #expect(reply.status == 307 && reply["Location"] == ["http://b.example/x?y"])
        #expect(reply["Cache-Control"] == ["no-store"] && reply["Via"] == ["1.1 respite-test"])
    }

    @Test("rules that do nothing are none, and each that does something is told in a sentence")
    func descriptions() {
        #expect(TrafficRules().isEmpty && TrafficRules.descriptions(of: TrafficRules()) == [])
        var rules = TrafficRules()
        (rules.delay, rules.bytesPerSecond) = (.seconds(2), 1000)
        (rules.faultRule, rules.redirectRule) = ("rule 1", "rule 2")
        rules.redirect = TrafficRules.Redirect(to: "http://b.example$path", status: 307)
        for (kind, share, text) in [
            (.status(503), 0.25, "25 % of requests fail: 503"), (.reset, 0.125, "12.5 % of requests fail: reset"),
            (.timeout, 1, "100 % of requests fail: timeout"), (.reset, 1.0 / 3, "33.33 % of requests fail: reset"),
        ] as [(TrafficRules.Fault.Kind, Double, String)] {
            rules.fault = TrafficRules.Fault(kind, share: share)
            #expect(
                TrafficRules.descriptions(of: rules) == [
                    "the request waits 2.0 seconds before anything is done", "rule 1 makes \(text)",
                    "rule 2 sends clients to http://b.example$path with 307",
                    "content is sent with at most 1000 bytes per second",
                ]
            )
        }
    }

    @Test("any one of the rules makes them more than none")
    func none() {
        let changes: [(inout TrafficRules) -> Void] = [
            { $0.redirect = TrafficRules.Redirect(to: "http://b.example", status: 307) },
            { $0.fault = TrafficRules.Fault(.reset, share: 0) }, { $0.delay = .nanoseconds(1) },
            { $0.bytesPerSecond = 1 },
        ]
        for change in changes {
            var rules = TrafficRules()
            change(&rules)
            #expect(!rules.isEmpty)
        }
    }
}
