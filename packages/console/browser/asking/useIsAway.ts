import { useSyncExternalStore } from "react"
import { reach } from "./reach.ts"

/** True if the service did not respond to this page's last request. */
export const useIsAway = (): boolean => useSyncExternalStore(reach.subscribe, reach.isAway)
