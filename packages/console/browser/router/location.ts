import { useSyncExternalStore } from "react"
import { addressOf, pathOf } from "./route.ts"

const listeners = new Set<() => void>()

const tell = () => {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): () => void => {
  listeners.add(listener)
  if (listeners.size === 1) addEventListener("popstate", tell)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener("popstate", tell)
  }
}

const current = (): string => `${pathOf(location.pathname)}${location.search}`

/** Goes to a path within the console; with `replace` the page that is left is not come back to. */
export const navigate = (path: string, how: { readonly replace?: boolean } = {}): void => {
  history[how.replace === true ? "replaceState" : "pushState"](null, "", addressOf(path))
  tell()
}

/** Where the reader is: the path within the console, and what stands behind its `?`. */
export const useLocation = (): { readonly path: string; readonly query: URLSearchParams } => {
  const [path, query] = useSyncExternalStore(subscribe, current).split("?")
  return { path: path!, query: new URLSearchParams(query ?? "") }
}

/** Says the query anew, in the place of the one before: what is searched for outlives a reload, and is no step back. */
export const setQuery = (values: Readonly<Record<string, string | undefined>>): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(pathOf(location.pathname) + (text === "" ? "" : `?${text}`), { replace: true })
}
