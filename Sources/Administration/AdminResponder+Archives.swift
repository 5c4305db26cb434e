import Eventing
import HTTPCore
import HTTPServer
import Settings

extension AdminResponder {
    /// `GET /v1/resources/ID/har?private=…`: what a HAR file has of a resource.
    func archive(_ exchange: ServerExchange, _ uri: TargetURI, _ request: AdminRequest) throws(AdminRefusal) {
        let includesPrivate = try request.boolean(.includesPrivate)
        let (bound, source, secrets) = (LoopBound(exchange, loop: loop), source, options.secrets)
        GatheredResource.gather(uri, source) { gathered in
            guard gathered.isKnown else { return bound.submit { $0.reply(GatheredResource.notFound) } }
            let pipeline = source.service.configuration(for: uri).values.pipeline
            let archive = ResourceArchive(gathered, includesPrivate: includesPrivate, masking: secrets) { variant in
                pipeline.hidesOriginal(status: variant.status, fields: variant.fields)
            }
            ArchiveRun(archive, source) { archive in
                bound.submit { exchange in
                    guard let archive else { return exchange.reply(Self.tooMany) }
                    exchange.reply { archive.write(to: &$0) }
                }
            }.advance()
        }
    }

    /// `POST /v1/import`: stores the response of an entry of a HAR file.
    func importEntry(_ exchange: ServerExchange) throws(AdminRefusal) {
        let (source, context) = (source, context)
        // Content in Base64, and the other members.
        let limit = options.overrideLimit / 3 * 4 + options.contentLimit
        try ReceivedContent.takeJSON(of: exchange, options, limit: limit, read: ImportRequest.init(json:)) {
            wanted,
            exchange in
            let bound = LoopBound(exchange, loop: exchange.loop)
            ArchiveImport.run(wanted, source, context) { outcome in
                bound.submit { $0.reply { outcome.write(to: &$0) } }
            }
        }
    }
}
