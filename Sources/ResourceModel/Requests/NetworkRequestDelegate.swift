import Configurations
import Exchanges
import HTTPCore
import Locking
import ResourceCore
import Transforms

/// One HTTP request over a service's networking provider; interprets its response (S-110, S-151 to S-155).
final class NetworkRequestDelegate: RequestDelegate {
    /// What the program asked for; each attempt makes its request from this anew (S-135).
    struct Order: Sendable {
        let core: ServiceCore
        let uri: TargetURI
        let resourceID: UInt64
        /// Finds the configuration, but not decorators; the request may have another method in the end (S-052).
        let method: Method
        /// The caller's own changes, with the content.
        let mutation: RequestMutation
        /// The data that a "not modified" confirms.
        let knownData: @Sendable () -> Entity<any Sendable>?
    }

    private struct State {
        var operation: (any RequestNetworking)?
        var hasResult = false
        var progress: ProgressEstimator
    }

    let request: HTTPRequest
    private let order: Order
    /// The configuration for the method that the request has in the end (S-052, S-173).
    private let configuration: Configuration
    private let state: Lock<State>

    init(_ order: Order) {
        self.order = order
        request = Self.make(order)
        configuration = order.core.register.effective(for: order.uri, request.method).values
        let now = order.core.table.environment.timekeeper.now
        state = Lock(State(progress: ProgressEstimator(isDownload: request.method == .get, now: now)))
    }

    /// URL and method, then configured fields, the caller's changes and configured changes (S-110, S-111).
    private static func make(_ order: Order) -> HTTPRequest {
        let configuration = order.core.register.effective(for: order.uri, order.method).values
        var request = HTTPRequest(method: order.method, url: order.uri)
        for (name, value) in configuration.headers.sorted(by: { $0.key < $1.key }) { request[field: name] = value }
        order.mutation(&request)
        for mutation in configuration.mutators { mutation(&request) }
        return request
    }

    var decorators: [RequestDecorator] { configuration.decorators }

    // MARK: RequestDelegate

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        guard let networking = order.core.networking(by: configuration.policies) else {
            let failure = ExchangeFailure(.internalError, "the service has no provider to request with")
            return completionHandler.broadcastResponse(ResponseInfo(response: .failure(error(failure, nil, nil))))
        }
        log()
        let now = timekeeper.now
        state.withLock { $0.progress.start(now: now) }
        let operation = networking.startTransfer(request) { self.didReceive($0, completionHandler) }
        state.withLock { if !$0.hasResult { $0.operation = operation } }
    }

    func cancelUnderlyingOperation() { takeOperation()?.cancel() }

    func repeated() -> any RequestDelegate { NetworkRequestDelegate(order) }

    func computeProgress() -> Double {
        let metrics = state.withLock { $0.operation }?.transferMetrics
        let now = timekeeper.now
        return state.withLock { state in
            if let metrics { state.progress.update(metrics, now: now) }
            return state.progress.fraction
        }
    }

    var progressReportingInterval: Duration { configuration.progressReportingInterval }

    var requestDescription: String { "\(request.method.text) \(request.url.text)" }

    /// Logs the request without fields and content, which may hold credentials (S-232).
    private func log() {
        let content = request.bodyFile == nil ? "\(request.body?.count ?? 0) bytes of content" : "content of a file"
        RespiteLog.log(
            .networkDetails,
            "\(requestDescription): \(content), \(request.fields.lines.count) fields"
        )
    }

    private var timekeeper: any Timekeeper { order.core.table.environment.timekeeper }

    private func takeOperation() -> (any RequestNetworking)? {
        state.withLock { state in
            defer { state.operation = nil }
            return state.operation
        }
    }

    // MARK: The response

    private func didReceive(_ result: NetworkingResult, _ handler: any RequestCompletionHandler) {
        let isFirst = state.withLock { state in
            defer { state.hasResult = true }
            return !state.hasResult
        }
        // Released outside of the lock.
        _ = takeOperation()
        var info = interpret(result)
        // A second report of a provider does not replace the first (S-133).
        guard isFirst else {
            return RequestCompletion.logIgnored(info, by: requestDescription, isCancelled: false)
        }
        // No longer wanted: the handler logs it (S-154).
        if handler.willIgnore(info) { return handler.broadcastResponse(info) }
        info.head = result.head
        info.origin = RequestOrigin(resourceID: order.resourceID, method: request.method)
        // A downloaded file stays what the server sent.
        let runsPipeline = info.isNew && result.file == nil
        if runsPipeline { transform(info, result, handler) } else { handler.broadcastResponse(info) }
    }

    /// Interprets the response (S-151 to S-155); "not modified" gives the known data (S-097, S-128).
    private func interpret(_ result: NetworkingResult) -> ResponseInfo {
        let status = result.head?.status ?? 200
        if result.error != nil || status >= 400 {
            return ResponseInfo(response: .failure(error(result.error, result.head, result.content)))
        }
        if status == 304 {
            guard var data = order.knownData() else {
                let cause = RequestError.Cause.NoLocalDataFor304()
                return ResponseInfo(response: .failure(error(cause, result.head, nil)), isNew: false)
            }
            data.touch(at: timekeeper.timestamp)
            return ResponseInfo(response: .success(data), isNew: false)
        }
        let bytes: any Sendable = result.content ?? []
        let entity = Entity<any Sendable>(
            response: result.head?.fields ?? Fields(),
            content: result.file ?? bytes,
            timestamp: timekeeper.timestamp
        )
        return ResponseInfo(response: .success(entity))
    }

    private func error(_ cause: (any Error)?, _ head: ResponseHead?, _ content: [UInt8]?) -> RequestError {
        let content = content.flatMap { $0.isEmpty ? nil : $0 }
        var error = RequestError(
            response: head,
            content: content,
            cause: cause.map(RequestError.known),
            timestamp: timekeeper.timestamp
        )
        error.time = timekeeper.now
        return error
    }

    /// Runs the pipeline in the background, unless the response is no longer wanted (S-154, S-155, S-171).
    private func transform(
        _ info: ResponseInfo,
        _ result: NetworkingResult,
        _ handler: any RequestCompletionHandler
    ) {
        let context = PipelineContext(
            uri: request.url,
            method: request.method,
            request: request.fields,
            status: result.head?.status,
            hasContent: !(result.content ?? []).isEmpty,
            limits: configuration.transformLimits,
            environment: order.core.table.environment
        )
        let pipeline = configuration.pipeline
        inBackground {
            if handler.willIgnore(info) { return }
            var info = info
            (info.response, info.stageOutputs) = pipeline.run(info.response, context)
            handler.broadcastResponse(info)
        }
    }

    /// Runs on the service's workers if there are any with room, else on the threads of Swift's runtime.
    private func inBackground(_ work: @escaping @Sendable () -> Void) {
        if let workers = order.core.table.environment.transforms.workers, workers.submit(work) { return }
        Task.detached { work() }
    }
}
