import Testing

@testable import Settings

/// The ranges and defaults of settings, as documents and users know them.
@Suite struct SettingRangesTests {
    /// Each setting with a range, and each member of a table with a default; etc/respite.toml has the other defaults.
    private static let documented = """
        admin-recent-requests  (number, 0 to 20000; default 2000)
        loops  (number, 0 to 256; default 0)
        memory.limit  (size, 1MiB to 4TiB; default "256MiB")
        storage.limit  (size, 32MiB to 1024TiB, or percent of the disk; default "4GiB")
        storage.max-object-size  (size, 1KiB to 1024TiB; default "1GiB")
        shared.timeout  (duration, 1ms to 10s; default "50ms")
        shared.max-object-size  (size, 1KiB to 256MiB; default "8MiB")
        limits.request-target  (size, 8kB to 1MiB; default "16KiB")
        limits.header-section  (size, 32KiB to 1MiB; default "64KiB")
        limits.header-fields  (number, 128 to 5000; default 256)
        limits.method-length  (number, 7 to 256; default 32)
        limits.empty-lines  (number, 0 to 8; default 8)
        limits.request-body  (size, 0 to 1024TiB, or "off"; default "off")
        limits.key-body  (size, 0 to 64MiB; default "1MiB")
        limits.chunk-extension-line  (size, 0 to 1MiB; default "4KiB")
        limits.chunk-extensions  (size, 0 to 1MiB; default "16KiB")
        limits.trailer-section  (size, 0 to 1MiB; default "16KiB")
        limits.trailer-fields  (number, 0 to 5000; default 64)
        limits.pipeline-depth  (number, 1 to 1000; default 16)
        limits.pipeline-size  (size, 1KiB to 1MiB; default "64KiB")
        limits.ranges  (number, 1 to 1000; default 16)
        limits.response-header-section  (size, 32KiB to 16MiB; default "64KiB")
        limits.response-header-fields  (number, 128 to 50000; default 256)
        limits.interim-responses  (number, 0 to 1000; default 16)
        limits.header-timeout  (duration, 1ms to 365d; default "10s")
        limits.body-timeout  (duration, 1ms to 365d; default "30s")
        limits.idle-timeout  (duration, 1ms to 365d; default "1m")
        limits.send-timeout  (duration, 1ms to 365d; default "1m")
        limits.half-close  (duration, 0 to 365d; default "0")
        limits.continue-timeout  (duration, 1ms to 365d; default "1s")
        limits.drain-timeout  (duration, 0 to 365d; default "30s")
        limits.unsent-per-exchange  (size, 16KiB to 64MiB; default "256KiB")
        limits.unfinished-heads  (size, 64KiB to 64GiB; default "64MiB")
        limits.key-body-memory  (size, 64KiB to 64GiB; default "64MiB")
        limits.max-connections  (number, 1 to 1000000; default 16384)
        limits.max-connections-per-peer  (number, 1 to 1000000, or "off"; default "off")
        limits.waiters-per-load  (number, 1 to 1000000; default 10000)
        limits.json-size  (size, 1KiB to 1MiB; default "1MiB")
        limits.json-depth  (number, 1 to 512; default 64)
        limits.max-transform-size  (size, 1KiB to 1GiB; default "8MiB")
        limits.transform-memory  (size, 1MiB to 1TiB; default "64MiB")
        limits.decoded-size  (size, 1KiB to 1024TiB, or "off"; default "64MiB")
        limits.decoded-ratio  (number, 2 to 1000000; default 100)
        limits.content-codings  (number, 1 to 8; default 2)
        limits.transform-json-depth  (number, 8 to 1024; default 128)
        limits.transform-time  (duration, 10ms to 1h; default "10s")
        upstream.connect-timeout  (duration, 1ms to 365d; default "5s")
        upstream.first-byte-timeout  (duration, 1ms to 365d; default "30s")
        upstream.idle-timeout  (duration, 1ms to 365d; default "30s")
        upstream.minimum-rate  (size, 1B to 64MiB, or "off"; default "60B")
        upstream.keep-alive-timeout  (duration, 0 to 365d; default "30s")
        upstream.retry-time  (duration, 0 to 365d; default "1s")
        upstream.retry-time-max  (duration, 0 to 365d; default "30s")
        upstream.retry-after-max  (duration, 0 to 365d; default "5m")
        upstream.connections-per-origin  (number, 1 to 65535; default 256)
        upstream.queue-per-origin  (number, 0 to 1000000; default 10000)
        cache.heuristic-fraction  (fraction, 0 to 1; default 0.1)
        cache.heuristic-limit  (duration, 0 to 365d; default "1d")
        cache.variants-per-resource  (number, 1 to 1000; default 16)
        cache.questions-per-resource  (number, 1 to 10000000; default 100000)
        cache.vary-names  (number, 0 to 256; default 32)
        cache.fill-fraction  (fraction, 0 to 1; default 0.25)
        cache.fill-remainder  (size, 0 to 1024TiB; default "1MiB")
        cache.hit-for-miss  (duration, 0 to 365d; default "10s")
        cache.expiration-time  (duration, 0 to 365d; default "30s")
        cache.stale-if-error  (duration, 0 to 365d; default "0")
        tunnel.idle-timeout  (duration, 1ms to 365d; default "10m")
        tunnel.lifetime  (duration, 1ms to 365d, or "off"; default "1d")
        log.access-sample  (number, 1 to 1000000; default 1)
        log.queue-size  (size, 16KiB to 1GiB; default "4MiB")
        telemetry.sample  (fraction, 0 to 1; default 1.0)
        intercept.pass-through-time  (duration, 1ms to 365d; default "1h")
        service.NAME.inject  (service | all; default "service")
        service.NAME.verify  (on | off; default "on")
        service.NAME.headers.FIELD.prefix  (text; default "")
        service.NAME.token.scope  (text; default "")
        service.NAME.token.authentication  (basic | content; default "basic")
        warm.every  (duration, 1s to 365d)
        rule.delay  (duration, 0 to 1m)
        rule.ttl  (duration, 0 to 365d)
        rule.ttl-by-status  (table: status = duration, 0 to 365d; default {})
        rule.stale-if-error  (duration, 0 to 365d)
        rule.stale-while-revalidate  (duration, 0 to 365d)
        rule.refresh-ahead  (percentage, 0% to 90%)
        rule.retry.attempts  (number, 2 to 10; default 3)
        rule.retry.delay  (duration, 1ms to 1m; default "200ms")
        rule.retry.max-delay  (duration, 1ms to 5m; default "5s")
        rule.retry.total  (duration, 1ms to 10m; default "10s")
        rule.retry.status  (list of status; default ["502-504"])
        rule.rate-limit.burst  (number, 1 to 100000)
        rule.rate-limit.max-wait  (duration, 0 to 10m; default "10s")
        rule.redirect.status  (301 | 302 | 307 | 308; default 307)
        rule.fail.status  (number, 400 to 599)
        rule.fail.share  (fraction, 0 to 1; default 1.0)
        rule.transform.indent  (number, 0 to 16)
        """

    @Test("each number, time and size has its range and its default")
    func ranges() {
        let tables = ["listener.", "service.", "include.", "warm.", "rule."]
        let lines = DocumentedSetting.all.filter { setting in
            let isMember = tables.contains { setting.name.hasPrefix($0) }
            return setting.typeName.contains(" to ") || (isMember && setting.defaultText != nil)
        }
        .map { setting in
            "\(setting.name)  (\(setting.typeName)\(setting.defaultText.map { "; default \($0)" } ?? ""))"
        }
        #expect(lines == Self.documented.split(separator: "\n").map(String.init))
    }

    @Test("the schema has a line for each setting, and one for its meaning")
    func schema() {
        let lines = SettingsDocument.schema.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 * DocumentedSetting.all.count + 1 && lines.last?.isEmpty == true)
        for (index, setting) in DocumentedSetting.all.enumerated() {
            #expect(lines[2 * index].hasPrefix("\(setting.name)  (\(setting.typeName)"))
            #expect(lines[2 * index + 1] == "    \(setting.summary)")
        }
        #expect(SettingsDocument.schemaJSON.last == 0x0A)
    }

    @Test("the settings of each table are documented once, in the order of the document")
    func tables() {
        let names = DocumentedSetting.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in [
            "listen", "pac.direct", "listener.address", "service.NAME.base", "service.NAME.headers.FIELD.file",
            "service.NAME.token.url", "include.file", "warm.urls", "rule.match-hosts-file", "rule.match", "rule.deny",
            "rule.ttl", "rule.set-cookie", "rule.key-body", "rule.retry", "rule.transform", "rule.retry.attempts",
            "rule.rate-limit.rate", "rule.redirect.to", "rule.fail.status", "rule.transform.decode",
            "rule.transform.fields.set",
        ] {
            #expect(names.contains(name), "\(name)")
        }
    }
}
