import { useSyncExternalStore } from "react"

/** As narrow as the styles' own narrow screens. */
const narrow = () => matchMedia("(max-width: 48rem)")

const subscribe = (listener: () => void): () => void => {
  const heard = narrow()
  heard.addEventListener("change", listener)
  return () => heard.removeEventListener("change", listener)
}

/** Whether the screen is narrow: what is not drawn at all there cannot be hidden by a style alone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow().matches)
