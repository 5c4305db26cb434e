public import CommandSyntax

/// The rules of etc/rules; `tools/make-rules` makes this file.
public enum ShippedRules {
    public static func text(of preset: RulePreset) -> String {
        switch preset {
        case .apt:
            #"""
            [[rule]]
            match = "**/*Release*"
            ttl = "1s"
            ttl-by-status = { 404 = "1m" }
            [[rule]]
            match = "**/Packages*"
            ttl = "1s"
            [[rule]]
            match = "**/Sources*"
            ttl = "1s"
            [[rule]]
            match = "**/Translation-*"
            ttl = "1s"
            [[rule]]
            match = "**/by-hash/**"
            status = [200]
            ttl = "365d"
            ignore-client-no-cache = true
            [[rule]]
            match = "**/*.deb"
            status = [200]
            ttl = "365d"
            ignore-client-no-cache = true
            [[rule]]
            match = "**/pool/**"
            status = [200]
            ttl = "365d"
            ignore-client-no-cache = true
            """#
        case .cargo:
            #"""
            [[rule]]
            match = "config.json"
            transform = [{ links = "prefix" }]
            [[rule]]
            match = "**/download"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/*.crate"
            status = [200]
            ttl = "365d"
            """#
        case .gem:
            #"""
            [[rule]]
            match = "**/gems/*.gem"
            methods = ["GET"]
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/quick/Marshal.4.8/*.gemspec.rz"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/versions"
            ttl = 0
            [[rule]]
            match = "**/info/*"
            ttl = 0
            [[rule]]
            match = "**/*specs.4.8.gz"
            ttl = 0
            """#
        case .go:
            #"""
            [[rule]]
            match = "**/@v/v*.*.*.mod"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/@v/v*.*.*.zip"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/@v/v*.*.*.info"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**/@v/list"
            ttl-by-status = { 404 = "1m", 410 = "1m" }
            [[rule]]
            match = "**/@latest"
            ttl-by-status = { 404 = "1m", 410 = "1m" }
            [[rule]]
            match = "**/sumdb/*/tile/**"
            status = [200]
            ttl = "365d"
            """#
        case .maven:
            #"""
            [[rule]]
            match = "**/maven-metadata*.xml*"
            ttl-by-status = { 200 = "10m", 404 = "10m" }
            [[rule]]
            match = "**/*.{jar,pom,module,war,aar,zip}*"
            methods = ["GET"]
            status = [200]
            ttl = "365d"
            ignore-client-no-cache = true
            [[rule]]
            match = "**/*-SNAPSHOT/**"
            ttl = 0
            """#
        case .npm:
            #"""
            [[rule]]
            match = "**"
            content-types = ["application/json", "application/vnd.npm.install-v1+json"]
            transform = [{ links = "prefix" }]
            [[rule]]
            match = "**/-/*.tgz"
            methods = ["GET"]
            status = [200]
            ttl = "365d"
            """#
        case .oci:
            #"""
            [[rule]]
            match = "v2/"
            partition = "credential"
            ttl-by-status = { 200 = "5m", 401 = "5m" }
            [[rule]]
            match = "v2/**/manifests/*"
            vary-add = ["Accept"]
            ttl-by-status = { 200 = "1m" }
            [[rule]]
            match = "v2/**/manifests/sha256:*"
            ttl-by-status = { 200 = "365d" }
            [[rule]]
            match = "v2/**/blobs/sha256:*"
            ttl-by-status = { 200 = "365d", 302 = "1m", 307 = "1m" }
            [[rule]]
            match = "**/sha256/*/*/data"
            status = [200]
            ttl = "365d"
            [[rule]]
            match = "**?**scope=repository:**"
            partition = "credential"
            ttl-by-status = { 200 = "1m" }
            cache-even = ["no-store", "no-cache", "private"]
            """#
        case .pip:
            #"""
            [[rule]]
            match = "**/simple/**"
            ttl-by-status = { 200 = "10m" }
            transform = [{ links = "prefix" }]
            [[rule]]
            match = "**/packages/*/*/*/*"
            methods = ["GET"]
            status = [200]
            ttl = "365d"
            """#
        }
    }
}
