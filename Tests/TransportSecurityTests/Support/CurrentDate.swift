import HTTPCore
import Platform

/// The wall clock.
var currentDate: HTTPDate { HTTPDate(seconds: SystemClock.wallSeconds()) }
