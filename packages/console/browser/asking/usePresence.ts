import { useSyncExternalStore } from "react"
import { presence } from "./presence.ts"

/** Whether somebody is at this page. */
export const usePresence = (): boolean => useSyncExternalStore(presence.subscribe, presence.isThere)
