import Formats
import HTTPCore

/// `/v1/openapi.json`: the routes as an OpenAPI 3.1 document.
struct OpenAPIDocument {
    let version: String
    /// The name of the cookie of sessions, for the port that the client uses.
    let cookieName: String

    private static let description = """
        The administration of one Respite daemon. HEAD is answered wherever GET is, without content. A method that a path \
        does not have is 405, and `Allow` names those that it has; an unknown path is 404. All problems are \
        `application/problem+json` (RFC 9457). A malformed request may also be 417, 501 or 505. A request to any path for a \
        service worker gets one that removes itself. A browser that opens an address without a session gets the login page.
        """

    func write(to writer: inout JSONWriter) {
        writer.member("openapi", "3.1.0")
        writer.memberObject("info") { writer in
            writer.member("title", "Respite")
            writer.member("version", version)
            writer.member("description", Self.description)
        }
        writer.memberArray("servers") { writer in writer.object { $0.member("url", "/") } }
        writer.memberObject("paths") { writer in
            for description in RouteDescription.all {
                writer.memberObject(description.template) { writer in
                    for operation in description.operations {
                        writer.memberObject(operation.method.text.lowercased()) { operation.write(to: &$0) }
                    }
                }
            }
        }
        writer.memberObject("components") { writer in
            writer.memberObject("securitySchemes") { writeSchemes(to: &$0) }
            writer.memberObject("schemas") { writer in
                for schema in NamedSchema.used {
                    writer.memberObject(schema.name) { writer in
                        writer.member("description", schema.summary)
                        schema.schema.write(to: &writer)
                    }
                }
            }
        }
    }

    // MARK: Security

    private func writeSchemes(to writer: inout JSONWriter) {
        for (name, text) in [
            ("adminToken", "The token in the file `admin-token` of the store, or of `admin-token-file`."),
            ("readToken", "The token of `admin-read-token-file`: it shows neither content nor settings."),
        ] {
            writer.memberObject(name) { writer in
                writer.member("type", "http")
                writer.member("scheme", "bearer")
                writer.member("description", text)
            }
        }
        for (name, place, field, text) in [
            ("sessionCookie", "cookie", cookieName, "The cookie of a session; its name has the port."),
            ("sessionProof", "header", "Respite-Session", "The proof of the same session, from a page of ours alone."),
        ] {
            writer.memberObject(name) { writer in
                writer.member("type", "apiKey")
                writer.member("in", place)
                writer.member("name", field)
                writer.member("description", text)
            }
        }
    }
}

extension Operation {
    /// The ways to show a right, each a list of schemes that count together; none: it needs no right.
    private var schemes: [[String]] {
        let session = refusesSessions ? [] : [["sessionCookie", "sessionProof"]]
        switch need {
        case .none: return []
        case .reading: return [["adminToken"], ["readToken"]] + session
        case .all: return [["adminToken"]] + session
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("operationId", name)
        writer.member("summary", summary)
        writer.memberArray("security") { writer in
            for scheme in schemes {
                writer.object { writer in for name in scheme { writer.memberArray(name) { _ in } } }
            }
        }
        if !parameters.isEmpty {
            writer.memberArray("parameters") { writer in
                for parameter in parameters { writer.object { parameter.write(to: &$0) } }
            }
        }
        if let content { writer.memberObject("requestBody") { content.write(to: &$0) } }
        writer.memberObject("responses") { writer in
            for response in allResponses {
                writer.memberObject("\(response.status)") { response.write(to: &$0) }
            }
        }
    }
}

extension RequestContent {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .json(let schema):
            writer.member("required", true)
            writer.memberObject("content") { writer in
                writer.memberObject("application/json") { writer in
                    writer.memberObject("schema") { Schema.named(schema).write(to: &$0) }
                }
            }
        case .data(let sentence):
            writer.member("description", sentence)
            writer.memberObject("content") { writer in writer.memberObject("*/*") { _ in } }
        }
    }
}

extension DescribedResponse {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("description", summary)
        guard !contents.isEmpty else { return }
        writer.memberObject("content") { writer in
            for content in contents {
                writer.memberObject(content.type) { writer in
                    // What is not JSON has no schema: any bytes may come.
                    guard let schema = content.schema else { return }
                    writer.memberObject("schema") { schema.write(to: &$0) }
                }
            }
        }
    }
}

extension NamedSchema {
    /// All that the routes refer to, by name.
    static let used: [NamedSchema] = {
        var found: [String: NamedSchema] = [:]
        var pending = RouteDescription.all.flatMap(\.operations).flatMap(\.references)
        while let next = pending.popLast() {
            guard found[next.name] == nil else { continue }
            found[next.name] = next
            pending += next.schema.references
        }
        return found.values.sorted { $0.name < $1.name }
    }()
}

extension Operation {
    /// The named schemas of its contents.
    fileprivate var references: [NamedSchema] {
        var schemas = allResponses.flatMap(\.contents).compactMap(\.schema).flatMap(\.references)
        if case .json(let schema) = content { schemas.append(schema) }
        return schemas
    }
}
