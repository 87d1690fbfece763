/** A setting that the browser keeps between visits: the theme or the language, but never credentials. */
export const storedSetting = (name: "theme" | "language") => {
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
        // The browser stores nothing here: the setting lasts until the page is left.
      }
    }
  }
}
