import { useSyncExternalStore } from "react"
import { toAddress, toPath } from "./route.ts"

const listeners = new Set<() => void>()

const notify = () => {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): () => void => {
  listeners.add(listener)
  if (listeners.size === 1) addEventListener("popstate", notify)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener("popstate", notify)
  }
}

const currentPath = (): string => `${toPath(location.pathname)}${location.search}`

/**
 * Opens a path within the console and adds a history entry. If `replace` is true, the path replaces the current history
 * entry instead.
 */
export const navigate = (path: string, options: { readonly replace?: boolean } = {}): void => {
  history[options.replace === true ? "replaceState" : "pushState"](null, "", toAddress(path))
  notify()
}

export const useLocation = (): { readonly path: string; readonly query: URLSearchParams } => {
  const [path, query] = useSyncExternalStore(subscribe, currentPath, currentPath).split("?")
  return { path: path!, query: new URLSearchParams(query ?? "") }
}

/** Sets query parameters without a new history entry. */
export const setQuery = (values: Readonly<Record<string, string | undefined>>): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(toPath(location.pathname) + (text === "" ? "" : `?${text}`), { replace: true })
}
