/** Returns access to a setting in the browser's local storage, where credentials are never stored. */
export const storedSetting = (name: "theme" | "language" | "fonts") => {
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
        // In a browser without local storage, a setting lasts only until the page is closed.
      }
    }
  }
}
