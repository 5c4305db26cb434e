import HTTPCaching
import HTTPCore

/// Name and value of a field line.
typealias FieldLine = (String, String)

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

extension Fields {
    init(_ lines: [FieldLine]) {
        self.init()
        for (name, value) in lines { append(name: name, value: value) }
    }

    var text: [String] { lines.map { String(decoding: name(of: $0) + ": ".bytes + value(of: $0), as: UTF8.self) } }
}

/// The moment the samples are received at: Wed, 18 Nov 2026 12:00:00 GMT.
let receipt = HTTPDate(seconds: 1_795_003_200)

/// A date `seconds` after the receipt.
func date(_ seconds: Int64) -> String {
    String(decoding: HTTPDate(seconds: receipt.seconds + seconds).bytes, as: UTF8.self)
}

/// A response received at `receipt`, right after it was asked for.
func response(
    _ lines: [FieldLine] = [],
    status: UInt16 = 200,
    delay: Int64 = 0,
    options: CachingOptions = CachingOptions()
) -> ResponseMetadata {
    ResponseMetadata(
        status: status,
        fields: Fields(lines),
        requestTime: HTTPDate(seconds: receipt.seconds - delay),
        responseTime: receipt,
        options: options
    )
}

/// A response that says this in Cache-Control.
func response(_ cacheControl: String, _ lines: [FieldLine] = [], status: UInt16 = 200) -> ResponseMetadata {
    response([("Cache-Control", cacheControl)] + lines, status: status)
}

func directives(_ cacheControl: String) -> RequestDirectives {
    RequestDirectives(Fields([("Cache-Control", cacheControl)]))
}

/// Whether a response to a plain GET is fresh on arrival.
func isFreshOnArrival(_ metadata: ResponseMetadata) -> Bool {
    metadata.isFresh(ageSeconds: metadata.currentAgeSeconds(sinceReceipt: 0))
}

func get(_ lines: [FieldLine] = [], options: CachingOptions = CachingOptions()) -> RequestProfile {
    RequestProfile(method: .get, fields: Fields(lines), credentialFields: options.credentials)
}

/// Where the response to a GET with these request fields goes.
func storability(
    _ response: ResponseMetadata,
    request: [FieldLine] = [],
    options: CachingOptions = CachingOptions()
) -> Storability {
    response.storability(for: get(request, options: options), options: options)
}
