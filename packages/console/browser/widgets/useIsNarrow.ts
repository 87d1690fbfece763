import { useSyncExternalStore } from "react"

/** The same width as for narrow screens in the styles. */
const narrow = () => matchMedia("(max-width: 48rem)")

const subscribe = (listener: () => void): () => void => {
  const heard = narrow()
  heard.addEventListener("change", listener)
  return () => heard.removeEventListener("change", listener)
}

/** True if the screen is narrow. For content that must not be rendered at all, a style is not enough. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow().matches)
