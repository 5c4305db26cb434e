import Eventing
import HTTPCore
import HTTPServer

extension ServerExchange {
    /// The fields of the dashboard's files: everything comes from this listener, nothing is written in a page itself.
    static func pageFields(contentType: String, cacheControl: String) -> Fields {
        var fields = Fields()
        fields.append(.contentType, contentType)
        fields.append(.cacheControl, cacheControl)
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        fields.append(
            name: "Content-Security-Policy",
            value: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        )
        fields.append(name: "X-Frame-Options", value: "DENY")
        fields.append(name: "Cross-Origin-Opener-Policy", value: "same-origin")
        fields.append(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        fields.append(name: "Referrer-Policy", value: "no-referrer")
        return fields
    }

    func reply(page: DashboardFile, status: UInt16) {
        var fields = Self.pageFields(contentType: page.contentType, cacheControl: "no-store")
        if status == 401 { fields.append(.wwwAuthenticate, "Bearer") }
        respond(status, fields: fields, content: ByteChunk(page.bytes))
    }
}
