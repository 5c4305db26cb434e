import Formats

/// Prometheus's text exposition format.
enum PrometheusText {
    static func append(_ family: MetricFamily, to output: inout [UInt8]) {
        guard let first = family.series.first else { return }
        line("# HELP \(family.name) \(escaped(family.help, quotes: false))", to: &output)
        line("# TYPE \(family.name) \(first.metric.typeName)", to: &output)
        for (labels, metric) in family.series {
            switch metric {
            case .counter(let counter): sample(family.name, labels, "\(counter.value)", to: &output)
            case .gauge(let gauge): sample(family.name, labels, "\(gauge.value)", to: &output)
            case .reading(let read), .tally(let read): sample(family.name, labels, "\(read())", to: &output)
            case .duration(let read): sample(family.name, labels, "\(read().inSeconds)", to: &output)
            case .histogram(let histogram): append(histogram.snapshot, family.name, labels, to: &output)
            }
        }
    }

    private static func append(
        _ snapshot: Histogram.Snapshot,
        _ name: String,
        _ labels: [MetricLabel],
        to output: inout [UInt8]
    ) {
        var sum = 0
        for (index, count) in snapshot.counts.enumerated() {
            sum &+= count
            let bound = index < Histogram.bounds.count ? "\(seconds(Histogram.bounds[index]))" : "+Inf"
            sample("\(name)_bucket", labels + [MetricLabel("le", bound)], "\(sum)", to: &output)
        }
        sample("\(name)_sum", labels, "\(seconds(Int64(snapshot.nanoseconds)))", to: &output)
        sample("\(name)_count", labels, "\(sum)", to: &output)
    }

    private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }

    private static func sample(_ name: String, _ labels: [MetricLabel], _ value: String, to output: inout [UInt8]) {
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        line(pairs.isEmpty ? "\(name) \(value)" : "\(name){\(pairs)} \(value)", to: &output)
    }

    private static func line(_ text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
        output.append(UInt8(ascii: "\n"))
    }

    /// Escapes backslash, line feed and quote.
    ///
    /// Other controls, which the format would allow, become `?`.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"": result += quotes ? "\\\"" : "\""
            case _ where UTF8Scalar.isDisruptive(Array(String(scalar).utf8)[...]): result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
