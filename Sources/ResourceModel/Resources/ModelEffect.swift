import ResourceCore

/// An effect for a program, carried out once the lock of a resource is released.
enum ModelEffect: ProgramEffect {
    /// The resource completes this request.
    case complete(Request, RequestOutcome)
    /// The first request shows the progress of the second, which brings its result.
    case follow(Request, Request)
    /// Reports the progress of a load to observers: from the request that brings it,
    case watchRequest(Request, UInt64)
    /// or over an exchange.
    case watchLoad(Load)
    /// The request that waited for the look-up needs a load; made outside of the lock, since decorators run.
    case loadForLookUp

    func carryOut(on resource: Resource) {
        switch self {
        case .complete(let request, let outcome): request.complete(outcome)
        case .follow(let request, let source): request.follow(.request(source))
        case .watchRequest(let request, let number): resource.watch(request, of: number)
        case .watchLoad(let load): resource.watch(load)
        case .loadForLookUp: resource.loadForLookUp()
        }
    }
}
