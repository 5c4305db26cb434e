// The last service worker of this address: it takes the place of one that another program left here, and removes itself.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.registration.unregister()));
