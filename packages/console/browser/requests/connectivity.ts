import { useSyncExternalStore } from "react"
import { presence } from "./presence.ts"
import { serviceAvailability } from "./serviceAvailability.ts"

const subscribe = (listener: () => void): () => void => {
  addEventListener("online", listener)
  addEventListener("offline", listener)
  return () => {
    removeEventListener("online", listener)
    removeEventListener("offline", listener)
  }
}

/** True if the browser has a network. */
export const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)

/** True if a person is present at this page. */
export const useIsPresent = (): boolean => useSyncExternalStore(presence.subscribe, presence.isPresent)

/** True if the service did not respond to this page's last request. */
export const useIsServiceUnavailable = (): boolean =>
  useSyncExternalStore(serviceAvailability.subscribe, serviceAvailability.isUnavailable)
