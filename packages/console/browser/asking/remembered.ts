/** What this browser keeps between visits: how things look, never who is signed in. */
export const remembered = (name: "theme" | "language") => {
  const key = `tapeline.${name}`
  return {
    read: (): string | null => {
      try {
        return localStorage.getItem(key)
      } catch {
        return null
      }
    },
    write: (value: string | null): void => {
      try {
        if (value === null) localStorage.removeItem(key)
        else localStorage.setItem(key, value)
      } catch {
        // Nothing may be stored here: it holds until the page is left.
      }
    }
  }
}
