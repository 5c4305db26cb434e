import HTTPCore
import Platform

/// What the part of a download is a part of; kept beside it.
struct DownloadNote: Equatable {
    /// What proves that the server still has the same bytes: a value for `If-Range` (RFC 9110 §13.1.5).
    var validator: String
    var url: String
    /// The size of the whole; nil if the server did not tell.
    var total: Int64?
    /// The start of the system in which the part was written.
    ///
    /// After another start, perhaps because the power failed, only bytes that were on the disk count.
    var boot: String?
    /// How many bytes were on the disk.
    var synced: Int64 = 0

    /// Nil if nothing in the response identifies its bytes.
    init?(_ head: ResponseHead, of url: TargetURI) {
        guard let validator = Self.validator(head.fields) else { return nil }
        self.validator = validator
        self.url = url.text
        total = Self.length(head)
        boot = SystemBoot.identifier
    }

    /// A strong entity tag; else a date of change that is at least a second before the response (RFC 9110 §8.8.2.2).
    private static func validator(_ fields: Fields) -> String? {
        // Without quotes it could not be distinguished from a date.
        if let tag = EntityTag(in: fields), !tag.isWeak, tag.opaque.first == 0x22, tag.opaque.last == 0x22 {
            return String(validating: tag.bytes, as: UTF8.self)
        }
        guard let text = fields.value(of: .lastModified), let sent = fields.value(of: .date),
            let date = HTTPDate(parsing: sent, now: HTTPDate(seconds: 0)),
            let changed = HTTPDate(parsing: text, now: date), changed.seconds < date.seconds
        else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// The length of the content as announced.
    static func length(_ head: ResponseHead) -> Int64? {
        head.contentLength ?? head.fields.text(of: .contentLength).flatMap { Int64($0) }
    }

    /// How many bytes of a part with `size` bytes can be continued; 0 if none.
    ///
    /// One byte at least is left to ask for.
    func usable(of size: Int64) -> Int64 {
        let intact = boot != nil && boot == SystemBoot.identifier ? size : min(size, synced)
        return max(0, min(intact, (total ?? .max) - 1))
    }

    // MARK: As text

    private static let version = "respite-part 1"

    /// Reads a note; nil for anything else.
    init?(parsing text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == Substring(Self.version) else { return nil }
        var values: [Substring: String] = [:]
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { values[words[0]] = String(words[1]) }
        }
        // The last line proves that none is missing.
        guard let url = values["url"], let validator = values["validator"], values["end"] == "of note" else {
            return nil
        }
        self.url = url
        self.validator = validator
        total = values["total"].flatMap { Int64($0) }
        boot = values["boot"]
        synced = values["synced"].flatMap { Int64($0) } ?? 0
    }

    var text: String {
        var lines = [Self.version, "url \(url)", "validator \(validator)", "synced \(synced)"]
        if let total { lines.append("total \(total)") }
        if let boot { lines.append("boot \(boot)") }
        return (lines + ["end of note", ""]).joined(separator: "\n")
    }
}
