import ResourceCore

/// The delegate of requests that are complete from the start.
final class HardWiredResponse: RequestDelegate {
    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {}
    func repeated() -> any RequestDelegate { self }
    func computeProgress() -> Double { 1 }
    var requestDescription: String { "hard-wired request" }
}

extension Request {
    /// A request that has ended with `info` from the start: no network, no pipeline; its repetition is itself (S-144).
    static func hardWired(_ info: ResponseInfo) -> Request {
        Request(delegate: HardWiredResponse(), delivery: nil, result: info)
    }

    static func failed(_ error: RequestError) -> Request { hardWired(ResponseInfo(response: .failure(error))) }
}
