import Formats
import HTTPCore

/// `/v1`: what this is, and its routes.
struct IndexDocument {
    let version: String

    func write(to writer: inout JSONWriter) {
        writer.member("name", "respite")
        writer.member("version", version)
        writer.member("document", "/v1/openapi.json")
        writer.memberArray("routes") { writer in
            for description in RouteDescription.all {
                for operation in description.operations {
                    writer.object { writer in
                        writer.member("path", description.template)
                        writer.member("method", operation.method.text)
                        writer.member("operation", operation.name)
                        writer.member("summary", operation.summary)
                        writer.member("needs", operation.need.word)
                    }
                }
            }
        }
    }
}

extension TokenNeed {
    fileprivate var word: String {
        switch self {
        case .none: "nothing"
        case .reading: "reading"
        case .all: "everything"
        }
    }
}
