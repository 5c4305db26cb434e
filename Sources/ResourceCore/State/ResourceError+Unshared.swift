import HTTPCore
import Outcomes

extension ResourceError {
    /// For a request that waited for a response which is a failure and may not be shared (C-23.0).
    init(unshared response: LoadedResponse, _ context: ResourceContext) {
        self.init(
            status: 503,
            kind: nil,
            userMessage: "the origin answered \(response.status) to the request that this one waited for, and lets "
                + "nobody share that answer; ask again after the time in Retry-After",
            time: context.now
        )
        let pause = context.configuration.policies.pause(response.status, response.fields, at: context.wallNow)
        retryAfter = pause ?? context.configuration.retryTime
        receivedStatus = response.status
        isOfAnother = true
    }
}
