import Settings

extension SettingsFiles {
    /// Reads the secret files of the tier that nodes share; nil: there is none; blocks.
    ///
    /// Only a start does it, and what checks whether a start would succeed: a change needs a restart.
    func sharingPlan(_ plan: ServingPlan) throws(SettingsError) -> SharingPlan? {
        try SharingPlan(plan.loaded, plan.security.usual, context)
    }
}
