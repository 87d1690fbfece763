export class PageLoadError extends Error {}

export interface Browser {
  readonly isOnline: () => boolean
  readonly reload: () => void
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">
}

/**
 * Loads the scripts of pages. After a failure, reloads the HTML document once, because browsers do not load a failed
 * module again without a reload.
 */
export class PageLoader {
  readonly #browser: Browser
  readonly #loadedPages = new Set<string>()
  #hasFailedLoad = false
  #isReloading = false

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Loads the script of a page, or another script that the page needs, and fails with `PageLoadError`. */
  async load<A>(page: string, load: () => Promise<A>): Promise<A> {
    try {
      const loaded = await load()
      this.#loadedPages.add(page)
      return loaded
    } catch (cause) {
      this.#hasFailedLoad = true
      this.#loadedPages.delete(page)
      throw new PageLoadError("A part of the console did not arrive", { cause })
    }
  }

  /**
   * Loads the script of a page before the page opens. Returns undefined after a failure, because the page loads its
   * script again when it opens.
   */
  async preload<A>(page: string, load: () => Promise<A>): Promise<A | undefined> {
    try {
      const loaded = await load()
      this.#loadedPages.add(page)
      return loaded
    } catch {
      return undefined
    }
  }

  /**
   * Reloads the document if any page has failed to load and the user opens a page that is not loaded yet. A page that
   * is not loaded yet may need the script that failed to load.
   */
  onNavigate(page: string): void {
    if (this.#hasFailedLoad && !this.#loadedPages.has(page) && this.#browser.isOnline()) this.reload()
  }

  /** Reloads the document when the browser is online again. Returns a function that cancels the reload. */
  reloadWhenOnline(): () => void {
    const onOnline = () => this.reload()
    this.#browser.events.addEventListener("online", onOnline)
    return () => this.#browser.events.removeEventListener("online", onOnline)
  }

  reload(): void {
    if (this.#isReloading) return
    this.#isReloading = true
    this.#browser.reload()
  }
}

export const pageLoader = new PageLoader({
  isOnline: () => navigator.onLine,
  reload: () => location.reload(),
  events: globalThis
})
