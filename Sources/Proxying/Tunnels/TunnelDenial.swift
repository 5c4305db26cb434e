public import Configurations
public import Exchanges
import HTTPCore
public import ResourceCore

/// Why tunnels are refused.
private enum TunnelDenial: ConfigurationKey {
    static let defaultValue: Denial? = nil
}

extension Configuration {
    /// Why a CONNECT is refused: a rule denies every URL of the origin.
    public var tunnelDenial: Denial? {
        get { self[TunnelDenial.self] }
        set { self[TunnelDenial.self] = newValue }
    }
}

extension Service {
    /// Why a CONNECT to a host is refused; nil if it is not.
    ///
    /// Inside may be https, or http at every port but the customary ones of https.
    public func tunnelDenial(host: [UInt8], port: UInt16) -> Denial? {
        guard actsOnRequests else { return nil }
        func denial(_ scheme: TargetURI.Scheme) -> Denial? {
            let root = TargetURI(scheme: scheme, host: host, port: port, path: [0x2F])
            return configuration(for: root, method: .connect).values.tunnelDenial
        }
        return denial(.https) ?? ([443, 8443].contains(port) ? nil : denial(.http))
    }
}
