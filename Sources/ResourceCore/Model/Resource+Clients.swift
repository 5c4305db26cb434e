public import HTTPCore

/// Requests of clients.
extension Resource {
    /// Answers a GET or HEAD, or lets it wait (docs/specification/resources.md §1).
    ///
    /// Where a pipeline applies the answer is the derived response.
    public func attend(_ request: ClientRequest, by attendant: any Attendant) -> Attending {
        if request.isHead, case let head = configuration(for: .head), head.isNeverCached {
            settleHolding()
            return .answered(ResourceState.uncached(request, head.values.mode), nil)
        }
        let circumstances = circumstances
        var request = request
        if !circumstances.effective.takesRequestsAsTheyAre {
            request.prepare(circumstances.configuration, environment)
        }
        guard let form = request.form else { return place(request, by: attendant, circumstances) { _ in } }
        let deriving = DerivingAttendant(attendant, form, self, circumstances.configuration)
        let attending = place(request, by: deriving, circumstances, deriving.expect)
        guard case .answered(let answer, let made) = attending else { return attending }
        var attendance = made
        let derived = deriving.derive(answer) {
            let waiting = made ?? Attendance(request: request, attendant: attendant, link: circumstances.link)
            attendance = waiting
            return waiting
        }
        if let derived { return .answered(derived, attendance) }
        guard let attendance else { return .answered(.refused(.tooManyWaiters), nil) }
        return .waiting(attendance)
    }

    /// Asks for the original; `expect` is told what waits for it, before that is answered.
    private func place(
        _ request: ClientRequest,
        by attendant: any Attendant,
        _ circumstances: Circumstances,
        _ expect: (Attendance) -> Void
    ) -> Attending {
        perform(circumstances) { state, circumstances, effects in
            var made: Attendance?
            let answer = state.place(
                request,
                {
                    let attendance = Attendance(request: request, attendant: attendant, link: circumstances.link)
                    made = attendance
                    expect(attendance)
                    return attendance
                },
                circumstances,
                &effects
            )
            if let answer {
                _ = made?.takeAttendant()
                return .answered(answer, made)
            }
            guard let made else { return .answered(.refused(.tooManyWaiters), nil) }
            return .waiting(made)
        }
    }

    // MARK: Forms

    /// A form is served for the first time: hits may get it on the shortest way.
    func formsDidChange() { perform { state, _, effects in state.show(&effects) } }

    /// A transformer failed: the data stays, the resource shows the error.
    func formDidFail(_ error: ResourceError) { perform { $0.failForm(error, $1, &$2) } }

    /// A form of a response in memory takes memory of its own.
    func formDidEnter(_ content: DerivedContent) { core.table.settle(entered: content) }

    /// A form is not kept any more.
    func formDidLeave(_ content: DerivedContent) {
        environment.eviction?.didRemove(content)
        formsDidChange()
    }

    func cancel(_ attendance: Attendance) {
        perform { $0.leave(attendance, $1, &$2) }
    }

    /// A passed HEAD was answered: the stored response is freshened, or to be validated, if that answer says so (C-21.7).
    ///
    /// - Parameters:
    ///   - head: the answer.
    ///   - request: the HEAD; its arrival counts as the time it was sent.
    public func didReceiveHead(_ head: ResponseHead, for request: ClientRequest) {
        var request = request
        request.prepare(configuration.values, environment)
        perform { $0.receiveHead(head, for: request, $1, &$2) }
    }
}
