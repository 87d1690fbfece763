import { useSyncExternalStore } from "react"
import { reach } from "./reach.ts"

/** Whether the service did not answer when this page asked it last. */
export const useIsAway = (): boolean => useSyncExternalStore(reach.subscribe, reach.isAway)
