import HTTPCore

/// The script's text.
extension ProxyScript {
    var text: String {
        """
        // Which requests go by the proxy. Respite makes this from its settings.
        var proxy = \(Self.literal(proxy));
        var everything = \(options.direct.contains(.everything));
        // Names with all below them, names below these alone, and addresses that share so many bits.
        var names = [\(names)];
        var below = [\(below)];
        var ranges = [\(ranges)];
        \(Self.program)

        """
    }

    private var names: String {
        let own = options.direct.compactMap { if case .name(let name) = $0 { name } else { nil } }
        return (["localhost"] + own).map(Self.literal).joined(separator: ", ")
    }

    private var below: String {
        options.direct.compactMap { if case .below(let name) = $0 { Self.literal("." + name) } else { nil } }
            .joined(separator: ", ")
    }

    private var ranges: String {
        let loopback: [DirectHosts] = [.range(.v4(0x7F00_0000), bits: 8), .range(.v6(0, 1), bits: 128)]
        return (loopback + options.direct).compactMap { hosts in
            guard case .range(let base, let bits) = hosts else { return nil }
            return "[[\(base.bytes.map { "\($0)" }.joined(separator: ", "))], \(bits)]"
        }
        .joined(separator: ", ")
    }

    /// A string of JavaScript; everything but letters, digits and a few marks is escaped.
    static func literal(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x20, 0x2D...0x2E, 0x30...0x3B, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A:
                result.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }

    /// The part that does not depend on settings.
    private static let program = #"""

        function FindProxyForURL(url, host) {
            host = host.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
            return everything || isDirect(host) ? "DIRECT" : proxy;
        }

        function isDirect(host) {
            var address = bytesOf(host), index;
            if (address) {
                for (index = 0; index < ranges.length; index++) {
                    if (shares(address, ranges[index][0], ranges[index][1])) return true;
                }
                return false;
            }
            if (host.indexOf(".") < 0) return true;
            for (index = 0; index < names.length; index++) {
                if (host === names[index] || endsWith(host, "." + names[index])) return true;
            }
            for (index = 0; index < below.length; index++) {
                if (endsWith(host, below[index])) return true;
            }
            return false;
        }

        function endsWith(text, end) {
            return text.length > end.length && text.slice(-end.length) === end;
        }

        function shares(address, base, bits) {
            var index, mask;
            if (address.length !== base.length) return false;
            for (index = 0; index < base.length && bits > 0; index++, bits -= 8) {
                mask = bits < 8 ? 256 - (1 << (8 - bits)) : 255;
                if ((address[index] & mask) !== base[index]) return false;
            }
            return true;
        }

        // The bytes of an address, 4 or 16; null for a name.
        function bytesOf(host) {
            var halves, bytes, end;
            if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return numbers(host);
            if (host.indexOf(":") < 0) return null;
            halves = host.replace(/%.*$/, "").split("::");
            bytes = groups(halves[0]);
            end = halves.length > 1 ? groups(halves[1]) : [];
            while (bytes.length + end.length < 16) bytes.push(0);
            bytes = bytes.concat(end);
            return shares(bytes, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0], 96) ? bytes.slice(12) : bytes;
        }

        function groups(text) {
            var parts = text === "" ? [] : text.split(":"), bytes = [], index, group;
            for (index = 0; index < parts.length; index++) {
                if (parts[index].indexOf(".") >= 0) {
                    bytes = bytes.concat(numbers(parts[index]));
                } else {
                    group = parseInt(parts[index], 16);
                    bytes.push(group >> 8, group & 255);
                }
            }
            return bytes;
        }

        function numbers(text) {
            var parts = text.split("."), index;
            for (index = 0; index < parts.length; index++) parts[index] = parseInt(parts[index], 10);
            return parts;
        }
        """#
}
