import Settings

extension SettingsFiles {
    /// Reads the secret files of the tier that nodes share; nil: there is none; blocks.
    ///
    /// Only a start, and a check of the settings, read them: a change needs a restart.
    func sharingPlan(_ plan: ServingPlan) throws(SettingsError) -> SharingPlan? {
        try SharingPlan(plan.loaded, plan.security.usual, context)
    }
}
