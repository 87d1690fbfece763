import { useSyncExternalStore } from "react"
import { presence } from "./presence.ts"

/** True if a person is present at this page. */
export const usePresence = (): boolean => useSyncExternalStore(presence.subscribe, presence.isThere)
