import { useSyncExternalStore } from "react"

/** The maximum width of a narrow screen must equal the width in the CSS files. */
const narrowQuery = () => matchMedia("(max-width: 48rem)")

const subscribe = (listener: () => void): () => void => {
  const query = narrowQuery()
  query.addEventListener("change", listener)
  return () => query.removeEventListener("change", listener)
}

/**
 * Returns whether the screen is narrow. Components omit content with `useIsNarrow` instead of CSS, because CSS can only
 * hide rendered content.
 */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrowQuery().matches, () => false)
