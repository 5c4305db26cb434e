import Eventing
import HTTPCore
import Platform
import Proxying
import Settings
import TransportSecurity

extension TLSMintingContext {
    /// Reads the CA if `intercept.hosts` names hosts; blocks.
    static func forInterception(
        _ loaded: LoadedSettings,
        _ context: ProcessContext
    ) throws(SettingsError) -> TLSMintingContext? {
        guard !loaded.values.intercept.hosts.isEmpty else { return nil }
        func fault(_ message: String) -> SettingsError {
            loaded.error(at: "intercept.hosts", "`intercept.hosts` needs a CA: \(message)")
        }
        guard let directory = DaemonPaths(loaded.values, context: context).authorityDirectory else {
            throw fault("without HOME it has no directory; set `intercept.ca-directory`")
        }
        do throws(AuthorityError) {
            let authority = try AuthorityFiles(directory: directory).load(at: HTTPDate.now)
            return try make(try CertificateMint(authority))
        } catch {
            throw fault(error.userMessage)
        }
    }

    private static func make(_ mint: CertificateMint) throws(AuthorityError) -> TLSMintingContext {
        do throws(TLSConfigurationError) { return try TLSMintingContext(mint) } catch { throw .notMade }
    }

    /// Whether both use the same CA.
    func isOf(_ other: TLSMintingContext?) -> Bool {
        other.map { mint.authority.isSame(as: $0.mint.authority) } ?? false
    }
}

extension ServingPlan {
    /// The interception options of the loops; nil: nothing is intercepted.
    func interception(_ refusals: CertificateRefusals) -> Interception? {
        minting.map { context in
            Interception(
                hosts: settings.intercept.hosts,
                passThrough: settings.intercept.passThrough,
                context: context,
                refusals: refusals,
                passThroughTime: settings.intercept.passThroughRefused ? settings.intercept.passThroughTime : nil
            )
        }
    }
}
