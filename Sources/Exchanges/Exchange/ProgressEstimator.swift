public import HTTPCore

/// Estimates how much of a request is done, from what was transferred and how long it has waited (S-220 to S-223).
///
/// Four parts with weights: waiting for the connection, upload, waiting for the response, download. What is of known size
/// counts by its share; all else approaches its end without reaching it. Where the parts are judged anew, because a wait has
/// ended or a total became known, the value stays where it is, and what is still to come is rescaled.
public struct ProgressEstimator: Sendable {
    private struct Transfer {
        /// Bytes at which three quarters are assumed to be done.
        let usual: Double
        var done = 0.0
        var total: Double?

        var fraction: Double { total.map { min(1, done / $0) } ?? ProgressEstimator.approach(done, usual) }
    }

    private struct Wait {
        /// Seconds at which three quarters are assumed to be over.
        let usual: Double
        var seconds = 0.0
        var isOver = false

        var fraction: Double { isOver ? 1 : ProgressEstimator.approach(seconds, usual) }
    }

    private var connecting = Wait(usual: 2.5)
    private var upload = Transfer(usual: 8192)
    private var responding = Wait(usual: 1.2)
    private var download = Transfer(usual: 65_536)
    private let uploadWeight: Double
    private let downloadWeight: Double
    private static let waitWeight = 0.3
    /// How much of the value's remainder one of the parts' remainder is.
    private var scale = 1.0
    private var updatedAt: MonotonicTime

    /// - Parameters:
    ///   - isDownload: a GET, in which all effort is in the response.
    ///   - now: when the request began.
    public init(isDownload: Bool, now: MonotonicTime) {
        uploadWeight = isDownload ? 0 : 1
        downloadWeight = isDownload ? 1 : 0.1
        updatedAt = now
    }

    /// The request is sent off: waiting counts from now.
    public mutating func start(now: MonotonicTime) { updatedAt = now }

    /// 0…1.
    public var fraction: Double { 1 - (1 - unscaled) * scale }

    private var unscaled: Double {
        let waits = (connecting.fraction + responding.fraction) * Self.waitWeight
        let done = waits + upload.fraction * uploadWeight + download.fraction * downloadWeight
        return done / (2 * Self.waitWeight + uploadWeight + downloadWeight)
    }

    /// Takes note of the bytes that were transferred until `now`; a total of nil, zero or less is unknown (S-148).
    public mutating func update(
        sent: Int64 = 0,
        sentTotal: Int64? = nil,
        received: Int64,
        receivedTotal: Int64?,
        now: MonotonicTime
    ) {
        keepingFraction { estimator in
            estimator.upload.total = Self.total(sentTotal)
            estimator.download.total = Self.total(receivedTotal)
        }
        let seconds = Self.seconds(now - updatedAt)
        updatedAt = now
        let hasBegun = sent > 0
        let hasResponse = received > 0
        let isSent = hasBegun && sent == sentTotal
        if hasBegun || hasResponse {
            keepingFraction { $0.connecting.isOver = true }
        } else {
            connecting.seconds += seconds
        }
        if hasResponse {
            keepingFraction { $0.responding.isOver = true }
        } else if isSent {
            responding.seconds += seconds
        }
        upload.done = max(upload.done, Double(sent))
        download.done = max(download.done, Double(received))
    }

    /// Judges the parts anew without a jump of the value.
    private mutating func keepingFraction(_ change: (inout ProgressEstimator) -> Void) {
        let before = fraction
        change(&self)
        let rest = 1 - unscaled
        if rest > 0 { scale = (1 - before) / rest }
    }

    private static func total(_ bytes: Int64?) -> Double? { bytes.flatMap { $0 > 0 ? Double($0) : nil } }

    private static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return max(0, Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// 0 at 0, three quarters at `usual`, never 1.
    fileprivate static func approach(_ amount: Double, _ usual: Double) -> Double { amount / (amount + usual / 3) }
}
