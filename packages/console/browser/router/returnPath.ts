/** The time in ms for which a page is remembered: the time for which a sign-in link works. */
const retentionMs = 900_000

const key = "tapeline.return-path"

/** Remembers a console path in this tab, so that the console opens the path after the next sign-in. */
export const rememberReturnPath = (path: string): void => {
  try {
    sessionStorage.setItem(key, `${Date.now()} ${path}`)
  } catch {
    // Without session storage, the home page opens after the sign-in.
  }
}

/** Returns the remembered path and forgets it. Returns undefined if no path was remembered recently. */
export const takeReturnPath = (): string | undefined => {
  try {
    const [, time, path] = /^(\d+) (\/.*)$/.exec(sessionStorage.getItem(key) ?? "") ?? []
    sessionStorage.removeItem(key)
    return time !== undefined && Date.now() - Number(time) < retentionMs ? path : undefined
  } catch {
    return undefined
  }
}
