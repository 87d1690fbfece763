import { useSyncExternalStore } from "react"

/** The same width as for narrow screens in the styles. */
const narrowQuery = () => matchMedia("(max-width: 48rem)")

const subscribe = (listener: () => void): () => void => {
  const query = narrowQuery()
  query.addEventListener("change", listener)
  return () => query.removeEventListener("change", listener)
}

/** True if the screen is narrow. For content that must not be rendered at all, a style is not enough. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrowQuery().matches)
