import HTTPCore

/// An error of ours as a page for people who opened the URL in a browser.
///
/// Text from elsewhere is escaped: none of it is markup, and all is ASCII.
struct ProblemPage {
    static let mediaType = "text/html; charset=utf-8"
    /// Keeps the page from doing anything, whatever it contains.
    static let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

    let problem: ProblemDocument

    /// Whether a request is a navigation, or prefers a page to the document for programs.
    static func isWanted(by head: RequestHead) -> Bool {
        if let destination = head.fields.value(of: .secFetchDest) { return destination == Array("document".utf8) }
        let members = ListMembers.members(of: .accept, in: head.fields)
        guard !members.isEmpty else { return false }
        return quality(of: ["text/html", "text/*", "*/*"], in: members)
            > quality(of: ["application/problem+json", "application/*", "*/*"], in: members)
    }

    /// The weight, in thousandths, of the first of these ranges in the field (RFC 9110 §12.5.1).
    private static func quality(of ranges: [String], in members: [[UInt8]]) -> Int {
        for range in ranges {
            for member in members {
                let parts = member.split(separator: 0x3B).map { part in
                    part.filter { $0 != 0x20 && $0 != 0x09 }.map(\.asciiLowercased)
                }
                guard parts.first == Array(range.utf8) else { continue }
                return parts.dropFirst().lazy.compactMap(weight).first ?? 1000
            }
        }
        return 0
    }

    /// The value of `q=0.5`.
    private static func weight(_ parameter: [UInt8]) -> Int? {
        guard parameter.starts(with: Array("q=".utf8)) else { return nil }
        let digits = parameter.dropFirst(2).filter { $0 != 0x2E }.prefix(4)
        var value = 0
        for index in 0..<4 {
            let digit = index < digits.count ? digits[digits.startIndex + index] &- 0x30 : 0
            value = value * 10 + Int(min(digit, 9))
        }
        return min(value, 1000)
    }

    var bytes: [UInt8] {
        let title = "\(problem.status) \(Self.escaped(problem.title))"
        var text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
            body { overflow-wrap: anywhere }
            dt { font-weight: bold }
            </style>
            <h1>\(title)</h1>
            <p>\(Self.escaped(problem.detail))</p>

            """
        if !problem.members.isEmpty {
            let members = problem.members.map { "<dt>\(Self.escaped($0.name))<dd>\(Self.escaped($0.value))\n" }
            text += "<dl>\n\(members.joined())</dl>\n"
        }
        return Array((text + "<p><small>This is an answer of the proxy, Respite, not of the site.</small>\n").utf8)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case " "..."~": result.unicodeScalars.append(scalar)
            case "\n", "\t": result.unicodeScalars.append(" ")
            // Control characters, also those for the direction of text, do not belong in a sentence.
            case "\u{0}"..."\u{9F}", "\u{200B}"..."\u{200F}", "\u{2028}"..."\u{202E}", "\u{2060}"..."\u{206F}":
                result += "&#xFFFD;"
            default: result += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            }
        }
        return result
    }
}
