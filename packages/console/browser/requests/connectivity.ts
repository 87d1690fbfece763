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

export const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine, () => true)

export const useIsPresent = (): boolean =>
  useSyncExternalStore(presence.subscribe, presence.isPresent, presence.isPresent)

export const useIsServiceUnavailable = (): boolean =>
  useSyncExternalStore(
    serviceAvailability.subscribe,
    serviceAvailability.isUnavailable,
    serviceAvailability.isUnavailable
  )
