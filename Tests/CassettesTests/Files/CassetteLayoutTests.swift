import Testing

@testable import Cassettes

/// The text of a cassette.
struct CassetteLayoutTests {
    private static let text = #"""
        {
          "log": {
            "version": "1.2",
            "creator": {"name":"Respite","version":"1.0"},
            "_respite": {
              "version": 1,
              "scrubbedFields": [
                "x-a"
              ],
              "scrubbedParameters": [],
              "scrubbedPaths": []
            },
            "entries": [
              {
                "startedDateTime": "2026-01-01T00:00:00Z",
                "time": 13.8,
                "request": {
                  "method": "POST",
                  "url": "http://a.example/x?p=a%20b",
                  "httpVersion": "HTTP/1.1",
                  "cookies": [],
                  "headers": [
                    {"name":"Content-Type","value":"text/plain"}
                  ],
                  "queryString": [
                    {"name":"p","value":"a b"}
                  ],
                  "headersSize": -1,
                  "bodySize": 2,
                  "postData": {
                    "mimeType": "text/plain",
                    "params": [],
                    "text": "hi"
                  }
                },
                "response": {
                  "status": 201,
                  "statusText": "Created",
                  "httpVersion": "HTTP/1.1",
                  "cookies": [],
                  "headers": [
                    {"name":"Location","value":"/y"}
                  ],
                  "content": {
                    "size": 2,
                    "mimeType": "",
                    "text": "AP8=",
                    "encoding": "base64"
                  },
                  "redirectURL": "/y",
                  "headersSize": -1,
                  "bodySize": 2,
                  "_respite": {
                    "trailers": [
                      {"name":"Sum","value":"1"}
                    ],
                    "pieces": [
                      {"bytes":2,"ms":0.3}
                    ]
                  }
                },
                "cache": {},
                "timings": {
                  "send": 0,
                  "wait": 12.5,
                  "receive": 1.3
                },
                "_respite": {
                  "order": 1
                }
              }
            ]
          }
        }

        """#

    @Test("a cassette has one line for each value, and for each field, with times to a tenth of a millisecond")
    func layout() {
        let request = CassetteRequest(
            method: "POST",
            url: "http://a.example/x?p=a%20b",
            fields: [CassetteField("Content-Type", "text/plain")],
            content: Array("hi".utf8)
        )
        let response = CassetteResponse(
            status: 201,
            reason: "Created",
            fields: [CassetteField("Location", "/y")],
            content: [0, 255],
            trailers: [CassetteField("Sum", "1")],
            pieces: [CassettePiece(count: 2, time: 0.25)]
        )
        let entry = CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            waited: 12.5,
            received: 1.25,
            request: request,
            response: response
        )
        let cassette = Cassette(entries: [entry], scrubbing: ScrubbingRules(fields: ["x-a"]))
        #expect(String(decoding: cassette.har(creator: "1.0"), as: UTF8.self) == Self.text)
    }

    @Test(
        "content is text unless it is none, or has controls other than tab and line ends; then it is Base64",
        arguments: [
            ([], "", false), (Array("ü ~".utf8), "ü ~", false), ([0x61, 0x09, 0x0A, 0x0D, 0x20], "a\t\n\r ", false),
            ([0x1F], "Hw==", true), ([0x7F], "fw==", true), ([0x08], "CA==", true), ([0x0B], "Cw==", true),
            ([0x0E], "Dg==", true), ([0xFF], "/w==", true),
        ] as [([UInt8], String, Bool)]
    )
    func bodies(content: [UInt8], text: String, isBase64: Bool) {
        let body = BodyText(content)
        #expect(body.text == text && body.isBase64 == isBase64)
    }

    @Test("entries are sorted by URL, method and content, and equal ones stay in the order of the recording")
    func order() {
        let cassette = Cassette(entries: [
            .sample("GET", "http://b.example/"), .sample("POST", "http://a.example/", "2"),
            .sample("POST", "http://a.example/", "1"),
            .sample("GET", "http://a.example/", "3"), .sample("POST", "http://a.example/", "1"),
        ])
        #expect(cassette.sortedEntries.map(\.order) == [4, 3, 5, 2, 1])
    }
}
