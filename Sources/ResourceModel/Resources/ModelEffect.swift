import ResourceCore

/// What is to be done for a program once the lock of a resource is released.
enum ModelEffect: ProgramEffect {
    /// The resource completes this request.
    case complete(Request, RequestOutcome)
    /// The first one shows the progress of the second, which brings its result.
    case follow(Request, Request)
    /// Observers want to know the progress of a load: of the request that brings it,
    case watchRequest(Request, UInt64)
    /// or over an exchange.
    case watchLoad(Load)
    /// The request that waited for the look-up needs a load: decorators take part in making it.
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
