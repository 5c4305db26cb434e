import Cassettes

extension CassetteEntry {
    /// An exchange with JSON content, as text.
    static func sample(
        _ method: String = "POST",
        _ url: String = "http://api.example/v1/chat",
        _ content: String = "",
        type: String = "application/json",
        fields: [CassetteField] = [],
        response: String = "{}",
        responseType: String = "application/json"
    ) -> CassetteEntry {
        CassetteEntry(
            started: "2026-11-26T10:00:00.5Z",
            waited: 12.5,
            received: 1,
            request: .sample(method, url, content, type: type, fields: fields),
            response: CassetteResponse(
                status: 200,
                reason: "OK",
                fields: [CassetteField("Content-Type", responseType)],
                content: Array(response.utf8)
            )
        )
    }
}

extension CassetteRequest {
    static func sample(
        _ method: String = "POST",
        _ url: String = "http://api.example/v1/chat",
        _ content: String = "",
        type: String = "application/json",
        fields: [CassetteField] = []
    ) -> CassetteRequest {
        CassetteRequest(
            method: method,
            url: url,
            fields: (content.isEmpty ? [] : [CassetteField("Content-Type", type)]) + fields,
            content: Array(content.utf8)
        )
    }
}
