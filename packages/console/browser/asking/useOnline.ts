import { useSyncExternalStore } from "react"

const subscribe = (listener: () => void): () => void => {
  addEventListener("online", listener)
  addEventListener("offline", listener)
  return () => {
    removeEventListener("online", listener)
    removeEventListener("offline", listener)
  }
}

/** True if the browser has a network. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)
