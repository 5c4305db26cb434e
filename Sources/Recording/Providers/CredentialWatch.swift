import Exchanges
import HTTPCore

/// Notes the credentials of requests as they go out.
///
/// Policies add some of them below `RecordingProvider`, which does not see these. Origins may repeat them in responses.
final class CredentialWatch: ExchangeProvider {
    private let base: any ExchangeProvider
    private let session: CassetteSession

    init(_ base: any ExchangeProvider, _ session: CassetteSession) {
        self.base = base
        self.session = session
    }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        session.note(request.fields.recorded)
        return base.start(request, receiver: receiver)
    }
}
