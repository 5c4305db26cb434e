public import HTTPCore

/// Estimates how much of a request is done, by the bytes transferred and the time waited (S-220 to S-223).
///
/// It weighs four parts: waiting for the connection, upload, waiting for the response, download. A part of known size
/// counts by its share. Any other part approaches its end without reaching it. When a wait ends or a total becomes
/// known, the value does not jump: the rest is rescaled.
public struct ProgressEstimator: Sendable {
    private struct Transfer {
        /// After this many bytes three quarters are assumed to be done.
        let usual: Double
        var done = 0.0
        var total: Double?

        var fraction: Double { total.map { min(1, done / $0) } ?? ProgressEstimator.approach(done, usual) }
    }

    private struct Wait {
        /// After this many seconds three quarters are assumed to be over.
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
    /// The remainder of the value, divided by the remainder of the parts.
    private var scale = 1.0
    private var updatedAt: MonotonicTime

    /// - Parameters:
    ///   - isDownload: whether the request is a GET, whose effort is all in the response.
    ///   - now: when the request began.
    public init(isDownload: Bool, now: MonotonicTime) {
        uploadWeight = isDownload ? 0 : 1
        downloadWeight = isDownload ? 1 : 0.1
        updatedAt = now
    }

    /// The request is sent: time counts as waiting from now on.
    public mutating func start(now: MonotonicTime) { updatedAt = now }

    /// The estimate, from 0 to 1.
    public var fraction: Double { 1 - (1 - unscaled) * scale }

    private var unscaled: Double {
        let waits = (connecting.fraction + responding.fraction) * Self.waitWeight
        let done = waits + upload.fraction * uploadWeight + download.fraction * downloadWeight
        return done / (2 * Self.waitWeight + uploadWeight + downloadWeight)
    }

    /// Notes the bytes transferred until `now`.
    ///
    /// A total of nil, zero or less is unknown (S-148).
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

    /// Changes the parts without a jump of the value.
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

    /// Returns 0 for 0, three quarters for `usual`, and never 1.
    fileprivate static func approach(_ amount: Double, _ usual: Double) -> Double { amount / (amount + usual / 3) }
}
